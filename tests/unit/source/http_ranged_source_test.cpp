#include "source/http_ranged_source.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/source/http_ranged_fixture.hpp"

namespace optimux::source {
namespace {

constexpr std::uint64_t kSize = 300'000;

std::string content() {
  std::string text(kSize, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i * 31 % 23);
  return text;
}

std::string part_answer(std::string_view body, const std::string& extent, const std::string& headers = "") {
  return answer("206 Partial Content", body, "Content-Range: bytes " + extent + "\r\n" + headers);
}

class HttpRangedSourceTest : public HttpRangedFixture {
 protected:
  /// Opens what `handler` serves.
  std::shared_ptr<RangedFile> open_at(OriginStub::Handler handler) {
    auto file = open(add_origin(std::move(handler)).url("/clip.mp4"));
    if (!file) ADD_FAILURE() << file.error().cause;
    return file ? *file : nullptr;
  }
  /// An origin that is well while it is opened, and gives `second` to every request after that.
  std::shared_ptr<RangedFile> open_then(std::string second, const std::string& headers = "ETag: \"state\"\r\n") {
    auto first = std::make_shared<std::atomic<bool>>(true);
    return open_at([first, second = std::move(second), well = serve_ranges(RangedContent::of(content()), headers)](
                       OriginConnection& connection, const std::string& request) {
      return first->exchange(false) ? well(connection, request) : connection.send(second);
    });
  }
  static std::string outcome_of_read(RangedFile& file, std::uint64_t offset = 100'000, std::size_t count = 4) {
    return outcome_of(start_read(file, offset, count).get());
  }
};

TEST_F(HttpRangedSourceTest, OpensAndReadsParts) {
  const auto& origin = add_origin(serve_ranges(RangedContent::of(content())));
  const auto file = open(origin.url("/clip.mp4"));
  ASSERT_TRUE(file) << file.error().cause;
  EXPECT_EQ((*file)->size(), kSize);
  EXPECT_EQ((*file)->facts().etag, "\"state\"");
  EXPECT_EQ((*file)->descriptor(), -1);
  EXPECT_EQ(text_of((*file)->head()), content().substr(0, RangedFile::kHeadBytes));
  for (const auto& [offset, count] : {std::pair(0u, 1u), std::pair(100'000u, 150'000u), std::pair(299'999u, 1u)}) {
    EXPECT_EQ(text_of(start_read(**file, offset, count).get()), content().substr(offset, count)) << offset;
  }
  EXPECT_EQ(origin.connection_count(), 1) << "the connection is used again";
  EXPECT_TRUE(has_field(origin.requests().at(0), "Range: bytes=0-65535"));
  EXPECT_FALSE(has_field(origin.requests().at(0), "If-Range:"));
  EXPECT_TRUE(has_field(origin.requests().at(1), "If-Range: \"state\""));
  EXPECT_TRUE(has_field(origin.requests().at(1), "Via:"));
}

TEST_F(HttpRangedSourceTest, ASourceThatIsSmallerThanItsBeginning) {
  const auto file = open_at(serve_ranges(RangedContent::of("tiny")));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 4u);
  EXPECT_EQ(text_of(file->head()), "tiny");
}

TEST_F(HttpRangedSourceTest, AnEmptySourceIsOneWithoutBytes) {
  for (const std::string& empty :
       {answer("416 Range Not Satisfiable", "", "Content-Range: bytes */0\r\n"), answer("200 OK", "")}) {
    const auto file = open_at(always(empty));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size(), 0u);
    EXPECT_TRUE(file->head().empty());
  }
}

TEST_F(HttpRangedSourceTest, AnOriginWithoutRangesIsAskedForTheWholeOnce) {
  const auto& origin = add_origin(always(answer("200 OK", content(), "ETag: \"whole\"\r\n")));
  const auto file = open(origin.url("/"));
  ASSERT_TRUE(file) << file.error().cause;
  EXPECT_EQ((*file)->size(), kSize);
  EXPECT_EQ((*file)->facts().etag, "\"whole\"");
  EXPECT_EQ(text_of((*file)->head()), content().substr(0, RangedFile::kHeadBytes));
  EXPECT_EQ(text_of(start_read(**file, 250'000, 50'000).get()), content().substr(250'000));
  EXPECT_EQ(origin.requests().size(), 1u);
}

TEST_F(HttpRangedSourceTest, EachKindOfSourceHasItsLimit) {
  auto settings = test_settings();
  settings.max_source_bytes = kSize - 1;
  make_ranged(settings, kSize);
  EXPECT_EQ(outcome_of(open(add_origin(serve_ranges(RangedContent::of(content()))).url("/"))), "ok");
  const auto whole = open(add_origin(always(answer("200 OK", content()))).url("/"));
  ASSERT_EQ(outcome_of(whole), "source_too_large");
  EXPECT_NE(whole.error().detail.find("max_source_bytes"), std::string::npos);

  make_ranged(test_settings(), kSize - 1);
  const auto parts = open(add_origin(serve_ranges(RangedContent::of(content()))).url("/"));
  ASSERT_EQ(outcome_of(parts), "source_too_large");
  EXPECT_NE(parts.error().detail.find("max_video_bytes"), std::string::npos);
}

TEST_F(HttpRangedSourceTest, WhatIsCalledAPartMustBeTheOneThatWasAskedFor) {
  const std::string beginning = content().substr(0, RangedFile::kHeadBytes);
  const std::string shorter = beginning.substr(1);
  for (const std::string& wrong :
       {part_answer(beginning, "1-65536/300000"), part_answer(shorter, "0-65534/300000"),
        part_answer(shorter, "0-65535/300000"), part_answer(beginning, "0-65535/*"),
        part_answer(beginning, "0-65535/65000"), answer("206 Partial Content", beginning),
        part_answer(beginning + "more", "0-65539/300000"), part_answer("", "*/300000"),
        part_answer(beginning, "0-65535/300000", "Content-Encoding: gzip\r\n"),
        answer("206 Partial Content", beginning, "Content-Type: multipart/byteranges; boundary=x\r\n")}) {
    EXPECT_EQ(outcome_of(open(add_origin(always(wrong)).url("/"))), "origin_failed") << wrong.substr(0, 100);
  }
}

TEST_F(HttpRangedSourceTest, AnOriginThatSendsWithoutEndIsCut) {
  const auto endless = [](OriginConnection& connection, const std::string&) {
    const std::string block(65'536, 'x');
    bool taken = connection.send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-65535/300000\r\n\r\n");
    while (taken) taken = connection.send(block);
    return false;
  };
  EXPECT_EQ(outcome_of(open(add_origin(endless).url("/"))), "origin_failed");
}

TEST_F(HttpRangedSourceTest, StatusesAreToldAsOnesOfAWholeSource) {
  for (const auto& [status, outcome] :
       {std::pair("404 Not Found", "not_found"), std::pair("410 Gone", "not_found"),
        std::pair("403 Forbidden", "forbidden_source"), std::pair("500 Oops", "origin_failed"),
        std::pair("416 Range Not Satisfiable", "origin_failed"), std::pair("304 Not Modified", "origin_failed")}) {
    EXPECT_EQ(outcome_of(open(add_origin(always(answer(status, ""))).url("/"))), outcome) << status;
    const auto file = open_then(answer(status, ""));
    ASSERT_TRUE(file);
    EXPECT_EQ(outcome_of_read(*file), outcome) << status;
  }
}

TEST_F(HttpRangedSourceTest, ASourceThatChangesIsAFailure) {
  for (const std::string& second :
       {answer("200 OK", content()), answer("412 Precondition Failed", ""), answer("416 Range Not Satisfiable", ""),
        part_answer("abcd", "100000-100003/300000", "ETag: \"another\"\r\n"),
        part_answer("abcd", "100000-100003/300001", "ETag: \"state\"\r\n")}) {
    const auto file = open_then(second);
    ASSERT_TRUE(file);
    const auto part = start_read(*file, 100'000, 4).get();
    ASSERT_EQ(outcome_of(part), "origin_failed");
    EXPECT_EQ(part.error().detail, "the source has changed while it was read");
  }
}

TEST_F(HttpRangedSourceTest, AWholeThatIsNotWantedAnyMoreIsNotDownloaded) {
  auto first = std::make_shared<std::atomic<bool>>(true);
  const auto file = open_at([first, well = serve_ranges(RangedContent::of(content()))](OriginConnection& connection,
                                                                                       const std::string& request) {
    if (first->exchange(false)) return well(connection, request);
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n");
    connection.stall();  // Until the other side closes: it would else wait for nine gigabytes.
    return false;
  });
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of_read(*file), "origin_failed");
}

TEST_F(HttpRangedSourceTest, WithoutTagsTheDateTellsAChange) {
  const std::string date = "Last-Modified: Sun, 01 Nov 2026 10:00:00 GMT\r\n";
  const auto& origin = add_origin(serve_ranges(RangedContent::of(content()), date));
  const auto file = open(origin.url("/"));
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of_read(**file), "ok");
  EXPECT_TRUE(has_field(origin.requests().at(1), "If-Range: Sun, 01 Nov 2026 10:00:00 GMT"));

  const std::string later = "Last-Modified: Sun, 01 Nov 2026 10:00:01 GMT\r\n";
  const auto changed = open_then(part_answer("abcd", "100000-100003/300000", later), date);
  ASSERT_TRUE(changed);
  EXPECT_EQ(outcome_of_read(*changed), "origin_failed");
}

TEST_F(HttpRangedSourceTest, AWeakTagIsNotAskedWithButTellsAChange) {
  const auto& origin = add_origin(serve_ranges(RangedContent::of(content()), "ETag: W/\"weak\"\r\n"));
  const auto file = open(origin.url("/"));
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of_read(**file), "ok");
  EXPECT_FALSE(has_field(origin.requests().at(1), "If-Range:"));
  const auto changed =
      open_then(part_answer("abcd", "100000-100003/300000", "ETag: W/\"other\"\r\n"), "ETag: W/\"weak\"\r\n");
  ASSERT_TRUE(changed);
  EXPECT_EQ(outcome_of_read(*changed), "origin_failed");
}

TEST_F(HttpRangedSourceTest, PartsAreReadWhereRedirectsHaveLed) {
  const auto& target = add_origin(serve_ranges(RangedContent::of(content())));
  const auto& origin = add_origin(always(answer("302 Found", "", "Location: " + target.url("/there") + "\r\n")));
  const auto file = open(origin.url("/here"));
  ASSERT_TRUE(file) << file.error().cause;
  EXPECT_EQ((*file)->facts().place, target.url("/there"));
  EXPECT_EQ(outcome_of_read(**file), "ok");
  EXPECT_EQ(origin.requests().size(), 1u);
  ASSERT_EQ(target.requests().size(), 2u);
  EXPECT_TRUE(has_field(target.requests().at(1), "If-Range: \"state\""));
}

TEST_F(HttpRangedSourceTest, EveryRequestIsCheckedForWhereItGoes) {
  const auto& canary = add_canary("127.0.0.2");
  EXPECT_EQ(outcome_of(open(canary.url("/"))), "forbidden_source");
  EXPECT_EQ(
      outcome_of(open(add_origin(always(answer("302 Found", "", "Location: " + canary.url("/") + "\r\n"))).url("/"))),
      "forbidden_source");
  const auto file = open_then(answer("307 Temporary", "", "Location: " + canary.url("/") + "\r\n"));
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of_read(*file), "forbidden_source");
}

TEST_F(HttpRangedSourceTest, WhatIsStoppedOrLateEndsAtOnce) {
  auto first = std::make_shared<std::atomic<bool>>(true);
  const auto file = open_at([first, well = serve_ranges(RangedContent::of(content()))](OriginConnection& connection,
                                                                                       const std::string& request) {
    if (first->exchange(false)) return well(connection, request);
    connection.stall();
    return false;
  });
  ASSERT_TRUE(file);
  std::stop_source stop;
  auto stopped = start_read(*file, 0, 1, {}, stop.get_token());
  auto late = start_read(*file, 0, 1, base::Deadline::after(std::chrono::milliseconds(1)));
  stop.request_stop();
  EXPECT_EQ(outcome_of(stopped.get()), "cancelled");
  EXPECT_EQ(outcome_of(late.get()), "deadline_exceeded");

  auto request = request_for(add_origin([](OriginConnection& connection, const std::string&) {
                               connection.stall();
                               return false;
                             }).url("/"));
  request.deadline = base::Deadline::after(std::chrono::milliseconds(1));
  EXPECT_EQ(outcome_of(start_open(ranged(), request).get()), "deadline_exceeded");
}

TEST_F(HttpRangedSourceTest, AnOriginThatStallsRunsOutOfItsTime) {
  auto settings = test_settings();
  settings.total_timeout = std::chrono::milliseconds(200);
  make_ranged(settings, kMaxVideoBytes);
  EXPECT_EQ(outcome_of(open(add_origin([](OriginConnection& connection, const std::string&) {
                              connection.stall();
                              return false;
                            }).url("/"))),
            "origin_timeout");
}

TEST_F(HttpRangedSourceTest, AFileOutlivesItsSourceAndIsReadNoMore) {
  for (const std::string& well : {std::string(), answer("200 OK", content())}) {
    const auto file = open_at(well.empty() ? serve_ranges(RangedContent::of(content())) : always(well));
    ASSERT_TRUE(file);
    drop_ranged();
    loop().run([&] { EXPECT_EQ(outcome_of_read(*file), "shutting_down"); });
    make_ranged(test_settings(), kMaxVideoBytes);
  }
}

TEST_F(HttpRangedSourceTest, WhatIsUnderWayEndsWithTheSource) {
  const auto stall = [](OriginConnection& connection, const std::string&) {
    connection.stall();
    return false;
  };
  auto opening = start_open(ranged(), request_for(add_origin(stall).url("/")));
  const auto file = open_at(serve_ranges(RangedContent::of(content())));
  ASSERT_TRUE(file);
  drop_ranged();
  EXPECT_EQ(outcome_of(opening.get()), "shutting_down");
}

}  // namespace
}  // namespace optimux::source
