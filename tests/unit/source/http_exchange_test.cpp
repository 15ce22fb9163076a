#include "source/http_exchange.hpp"

#include <chrono>
#include <future>
#include <latch>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/http_source_fixture.hpp"
#include "unit/source/other_media.hpp"

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// `picture` in gzip.
constexpr std::string_view kGzip(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\xc8\x4c\x2e\x29\x2d\x4a\x05\x00\x89\x4f\xdb\x16\x07\x00\x00\x00", 27);

// 100,000 zero bytes in gzip.
std::string gzip_bomb() {
  const std::string_view begin(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xf5\x4f\x6d\x0d\x0f\xa0", 25);
  const std::string_view end("\x80\x57\x03\x7d\x95\x11\xd4\xa0\x86\x01\x00", 11);
  return std::string(begin) + std::string(96, '\0') + std::string(end);
}

class HttpExchangeTest : public HttpSourceFixture {
 protected:
  // Sends `bytes` and ends the connection.
  static OriginStub::Handler once(std::string bytes) {
    return [bytes = std::move(bytes)](OriginConnection& connection, const std::string&) {
      connection.send(bytes);
      return false;
    };
  }
  // Sends `bytes` and then nothing more.
  static OriginStub::Handler then_stall(std::string bytes) {
    return [bytes = std::move(bytes)](OriginConnection& connection, const std::string&) {
      connection.send(bytes);
      connection.stall();
      return false;
    };
  }
  // Sends `bytes`, and then bodies without end until the client has gone.
  static OriginStub::Handler endless(std::string bytes) {
    return [bytes = std::move(bytes)](OriginConnection& connection, const std::string&) {
      const std::string block(65536, 'x');
      for (bool taken = connection.send(bytes); taken;) taken = connection.send(block);
      return false;
    };
  }
  FetchResult get_picture(const std::string& url) {
    FetchRequest request{{SourceLocator::Kind::kHttp, url}, {}, {}};
    request.is_other = &begins_as_video;
    return start_fetch(source(), std::move(request)).get();
  }
  void limit_bytes(std::uint64_t max_source_bytes) {
    auto settings = test_settings();
    settings.max_source_bytes = max_source_bytes;
    make_source(settings);
  }
  // Sources of 400,000 bytes at most. The time limit ends a test that fails.
  void limit_bytes_under_way(std::uint64_t max_bytes_under_way) {
    auto settings = test_settings();
    settings.max_source_bytes = 400'000;
    settings.max_bytes_under_way = max_bytes_under_way;
    settings.total_timeout = std::chrono::seconds(20);
    make_source(settings);
  }
  void limit_time(milliseconds total) {
    auto settings = test_settings();
    settings.total_timeout = total;
    make_source(settings);
  }
  FetchResult fetch_from(OriginStub::Handler handler) { return get(add_origin(std::move(handler)).url("/")); }
};

TEST_F(HttpExchangeTest, TakesBodiesHoweverTheirEndIsTold) {
  EXPECT_EQ(text_of(fetch_from(once("HTTP/1.1 200 OK\r\n\r\npicture"))), "picture");
  EXPECT_EQ(text_of(fetch_from(once("HTTP/1.0 200 OK\r\n\r\npicture"))), "picture");
  EXPECT_EQ(text_of(fetch_from(always(std::string(kChunkedHead) + "3\r\npic\r\n4\r\nture\r\n0\r\n\r\n"))), "picture");
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", "")))), "ok");
}

TEST_F(HttpExchangeTest, ABodyThatEndsEarlyIsAFailure) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), std::string(kChunkedHead) + "4\r\nhalf\r\n",
        std::string(kChunkedHead) + "ff\r\nhalf", std::string(kChunkedHead) + "4\r\nhalf\r\nzz\r\n"}) {
    const auto result = fetch_from(once(bytes));
    EXPECT_EQ(outcome_of(result), "origin_failed") << bytes;
    EXPECT_EQ(result.error().detail, "the origin did not deliver this source");
  }
}

TEST_F(HttpExchangeTest, AnAnswerThatIsNoneIsAFailure) {
  for (const std::string bytes :
       {"", "HTTP/1.1", "HTTP/1.1 200 OK\r\nA: b\r\n", "SSH-2.0-OpenSSH\r\n", "picture",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 9\r\n\r\npicture",
        "HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\npicture"}) {
    EXPECT_EQ(outcome_of(fetch_from(once(bytes))), "origin_failed") << bytes;
  }
}

TEST_F(HttpExchangeTest, AResetIsAFailure) {
  const auto result = fetch_from([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    connection.reset();
    return false;
  });
  EXPECT_EQ(outcome_of(result), "origin_failed");
}

TEST_F(HttpExchangeTest, ARefusedConnectionIsAFailure) {
  const std::string url = OriginStub(always("")).url("/");  // Its port is free again.
  const auto result = get(url);
  EXPECT_EQ(outcome_of(result), "origin_failed");
  EXPECT_EQ(result.error().detail, "the origin did not deliver this source");
  EXPECT_NE(result.error().cause.find(url), std::string::npos) << result.error().cause;
}

TEST_F(HttpExchangeTest, SomethingThatIsNoTlsIsAFailure) {
  const auto& origin = add_origin(always(answer("200 OK", "x")));
  EXPECT_EQ(outcome_of(get("https" + origin.url("/").substr(4))), "origin_failed");
}

TEST_F(HttpExchangeTest, AnAnnouncedBodyOverTheLimitIsNotEvenStarted) {
  limit_bytes(7);
  EXPECT_EQ(text_of(fetch_from(always(answer("200 OK", "picture")))), "picture");
  const auto result = fetch_from(then_stall("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"));
  EXPECT_EQ(outcome_of(result), "source_too_large");
  EXPECT_EQ(result.error().detail, "the source is larger than max_source_bytes (7B)");
}

TEST_F(HttpExchangeTest, AnEndlessBodyIsCutOffAtTheLimit) {
  limit_bytes(100'000);
  EXPECT_EQ(outcome_of(fetch_from(endless("HTTP/1.1 200 OK\r\n\r\n"))), "source_too_large");
  EXPECT_EQ(outcome_of(fetch_from(endless(std::string(kChunkedHead) + "7fffffff\r\n"))), "source_too_large");
}

TEST_F(HttpExchangeTest, ABodyLongerThanAnnouncedEndsWhereItWasAnnounced) {
  const auto result = fetch_from(endless("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\npicture"));
  EXPECT_EQ(text_of(result), "picture");
}

TEST_F(HttpExchangeTest, BodiesUnderWayShareABudget) {
  limit_bytes_under_way(1'000'000);
  // Two of them have room; each keeps what it has until the source ends.
  const std::string part = "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + std::string(300'000, 'x');
  const auto& origin = add_origin(then_stall(part));
  std::vector<std::string> ends;  // Of the loop's thread until the source has gone.
  std::latch two_ended(2);
  for (int i = 0; i < 4; ++i) {
    const std::string url = origin.url("/" + std::to_string(i));
    source().fetch({{SourceLocator::Kind::kHttp, url}, {}, {}}, [&ends, &two_ended](const FetchResult& result) {
      ends.push_back(outcome_of(result));
      if (ends.size() <= 2) two_ended.count_down();
    });
  }
  two_ended.wait();
  drop_source();
  EXPECT_EQ(ends, (std::vector<std::string>{"overloaded", "overloaded", "shutting_down", "shutting_down"}));
}

TEST_F(HttpExchangeTest, TheBudgetIsGivenBackHoweverAFetchEnds) {
  limit_bytes_under_way(400'000);
  const auto& whole = add_origin(always(answer("200 OK", std::string(400'000, 'x'))));
  const auto& cut = add_origin(once("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + std::string(300'000, 'x')));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(get(whole.url("/"))).size(), 400'000u);
    EXPECT_EQ(outcome_of(get(cut.url("/"))), "origin_failed");
  }
}

TEST_F(HttpExchangeTest, TheBodyOfAnErrorDoesNotCount) {
  limit_bytes(7);
  EXPECT_EQ(outcome_of(fetch_from(always(answer("404 Not Found", "far more than seven bytes")))), "not_found");
  EXPECT_EQ(outcome_of(fetch_from(endless("HTTP/1.1 404 Not Found\r\n\r\n"))), "not_found");
  EXPECT_EQ(outcome_of(fetch_from(then_stall("HTTP/1.1 404 Not Found\r\nContent-Length: 999999\r\n\r\n"))),
            "not_found");
}

TEST_F(HttpExchangeTest, HeadersOverTheLimitAreAFailure) {
  auto settings = test_settings();
  settings.max_header_bytes = 1000;
  make_source(settings);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "X-Header-" + std::to_string(i) + ": value\r\n";
  const auto result = fetch_from(once("HTTP/1.1 200 OK\r\n" + many + "\r\npicture"));
  EXPECT_EQ(outcome_of(result), "origin_failed");
  EXPECT_NE(result.error().cause.find("headers too large"), std::string::npos) << result.error().cause;
  EXPECT_EQ(outcome_of(fetch_from(once("HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') + "\r\n\r\n"))),
            "origin_failed");
}

TEST_F(HttpExchangeTest, EndlessHeadersAreAFailure) {
  const auto flood = [](std::string_view begin, std::string_view line) {
    std::string lines;
    for (int i = 0; i < 1000; ++i) lines += line;
    return [begin = std::string(begin), lines](OriginConnection& connection, const std::string&) {
      for (bool taken = connection.send(begin); taken;) taken = connection.send(lines);
      return false;
    };
  };
  EXPECT_EQ(outcome_of(fetch_from(flood("HTTP/1.1 200 OK\r\n", "X: y\r\n"))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(flood("HTTP/1.1 200 OK\r\n", "xxxxxxxx"))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(flood("", "xxxxxxxx"))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(flood("", "HTTP/1.1 100 Continue\r\n\r\n"))), "origin_failed");
}

TEST_F(HttpExchangeTest, AStallIsATimeoutWhereverItComes) {
  limit_time(milliseconds(30));
  for (const std::string bytes : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
                                  "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\n\r\nhalf"}) {
    const auto result = fetch_from(then_stall(bytes));
    EXPECT_EQ(outcome_of(result), "origin_timeout") << bytes;
    EXPECT_EQ(result.error().detail, "the origin did not deliver this source within fetch_timeout (30ms)");
  }
}

TEST_F(HttpExchangeTest, AStallAfterTheStatusOfAnErrorIsThatError) {
  limit_time(milliseconds(1000));  // Long enough for the head to arrive on any machine.
  EXPECT_EQ(outcome_of(fetch_from(then_stall("HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\nhalf"))),
            "not_found");
}

TEST_F(HttpExchangeTest, ATrickleIsATimeout) {
  auto settings = test_settings();
  settings.low_speed_bytes_per_second = 1000;
  settings.low_speed_time = std::chrono::seconds(1);
  make_source(settings);
  const auto result = fetch_from(then_stall("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
  EXPECT_EQ(outcome_of(result), "origin_timeout");
  EXPECT_EQ(result.error().detail,
            "the origin delivered this source at less than fetch_low_speed (1000B a second) for fetch_low_speed_time "
            "(1s)");
  EXPECT_NE(result.error().cause.find("too slow after 4 bytes"), std::string::npos) << result.error().cause;
}

TEST_F(HttpExchangeTest, TheBodyOfAnErrorThatTricklesIsThatError) {
  auto settings = test_settings();
  settings.low_speed_time = std::chrono::seconds(1);
  make_source(settings);
  EXPECT_EQ(outcome_of(fetch_from(then_stall("HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\nhalf"))),
            "not_found");
}

// Both limits are timers of one loop, and the low speed's would be the first by far.
TEST_F(HttpExchangeTest, TheWaitForTheFirstByteIsNoLowSpeed) {
  auto settings = test_settings();
  settings.low_speed_time = std::chrono::seconds(1);
  settings.total_timeout = milliseconds(1500);
  make_source(settings);
  std::vector<std::future<FetchResult>> results;
  for (const std::string bytes : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"}) {
    results.push_back(start(add_origin(then_stall(bytes)).url("/")));
  }
  for (auto& result : results) {
    const FetchResult end = result.get();
    EXPECT_EQ(outcome_of(end), "origin_timeout");
    EXPECT_EQ(end.error().detail, "the origin did not deliver this source within fetch_timeout (1500ms)");
  }
}

TEST_F(HttpExchangeTest, UndoesCompressionThatNobodyAskedFor) {
  EXPECT_EQ(text_of(fetch_from(always(answer("200 OK", kGzip, "Content-Encoding: gzip\r\n")))), "picture");
  EXPECT_EQ(text_of(fetch_from(always(answer("200 OK", "picture", "Content-Encoding: identity\r\n")))), "picture");
}

TEST_F(HttpExchangeTest, CountsTheBytesBehindTheCompression) {
  const std::string bomb = gzip_bomb();
  EXPECT_EQ(fetch_from(always(answer("200 OK", bomb, "Content-Encoding: gzip\r\n")))->bytes->size(), 100'000u);
  limit_bytes(50'000);
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", bomb, "Content-Encoding: gzip\r\n")))), "source_too_large");
}

TEST_F(HttpExchangeTest, CompressionThatIsBrokenUnknownOrCutIsAFailure) {
  const std::string broken = std::string(kGzip.substr(0, 12)) + "\xff\xff\xff\xff" + std::string(kGzip.substr(16));
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", broken, "Content-Encoding: gzip\r\n")))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", "picture", "Content-Encoding: gzip\r\n")))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", "x", "Content-Encoding: compress2\r\n")))), "origin_failed");
  const std::string unframed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  EXPECT_EQ(outcome_of(fetch_from(once(unframed + std::string(kGzip)))), "origin_failed");
  EXPECT_EQ(outcome_of(fetch_from(once(unframed + std::string(kGzip.substr(0, 15))))), "origin_failed");
}

TEST_F(HttpExchangeTest, NestedCompressionIsAFailure) {
  std::string encodings = "gzip";
  for (int i = 0; i < 20; ++i) encodings += ", gzip";
  EXPECT_EQ(outcome_of(fetch_from(always(answer("200 OK", kGzip, "Content-Encoding: " + encodings + "\r\n")))),
            "origin_failed");
}

TEST_F(HttpExchangeTest, TheCauseNamesUrlAndAddressButNoQuery) {
  const auto& origin = add_origin(once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
  const auto result = get(origin.url("/a.jpg?token=secret"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().cause.find(origin.url("/a.jpg?…")), std::string::npos) << result.error().cause;
  EXPECT_NE(result.error().cause.find("[127.0.0.1]"), std::string::npos) << result.error().cause;
  EXPECT_EQ(result.error().cause.find("secret"), std::string::npos);
}

// The origin says how large it is, and would go on sending: nothing of that is waited for.
TEST_F(HttpExchangeTest, AVideoEndsTheFetchWithItsFirstBytesWhateverItsSize) {
  limit_bytes(1000);
  for (const std::string length : {"1000", "1001", "9000000000"}) {
    const auto& origin =
        add_origin(then_stall("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + video_of(64)));
    EXPECT_EQ(outcome_of(get_picture(origin.url("/"))), "video_source") << length;
  }
}

TEST_F(HttpExchangeTest, APictureIsRefusedForItsSizeOnceItIsSeenToBeOne) {
  limit_bytes(1000);
  const std::string picture(2000, 'p');
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("200 OK", picture))).url("/"))), "source_too_large");
  EXPECT_EQ(outcome_of(get_picture(add_origin(once("HTTP/1.1 200 OK\r\n\r\n" + picture)).url("/"))),
            "source_too_large");
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("200 OK", picture.substr(0, 1000)))).url("/"))), "ok");
}

TEST_F(HttpExchangeTest, AVideoThatIsShorterThanTheQuestionIsSeenAtItsEnd) {
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("200 OK", "video"))).url("/"))), "video_source");
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("200 OK", "vid"))).url("/"))), "ok");
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("200 OK", ""))).url("/"))), "ok");
  EXPECT_EQ(outcome_of(get(add_origin(always(answer("200 OK", "video"))).url("/"))), "ok") << "nobody asked";
}

TEST_F(HttpExchangeTest, WhatAnErrorSaysIsNoVideo) {
  EXPECT_EQ(outcome_of(get_picture(add_origin(always(answer("404 Not Found", video_of(100)))).url("/"))), "not_found");
}

}  // namespace
}  // namespace optimux::source
