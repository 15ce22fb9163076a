#include "http/http1_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

using base::ErrorCode;

/// What came out of a reader: requests as one text each, and how it failed.
struct Outcome {
  std::vector<std::string> requests;
  std::optional<ErrorCode> failure;
  bool operator==(const Outcome&) const = default;
};

std::string describe(const Request& request) {
  std::string text = request.method + ' ' + request.target + " 1." + std::to_string(request.minor_version) +
                     (request.keep_alive ? " keep" : " close");
  for (const HeaderField& field : request.headers) {
    text.append(" [").append(field.name).append("=").append(field.value).append("]");
  }
  return text + " {" + request.body + '}';
}

Outcome drain(Http1Reader& reader) {
  Outcome outcome;
  while (auto request = reader.take()) outcome.requests.push_back(describe(*request));
  if (reader.failure()) outcome.failure = reader.failure()->code;
  return outcome;
}

Outcome read_whole(std::string_view bytes, const RequestLimits& limits = {}) {
  Http1Reader reader(limits);
  reader.feed(bytes);
  return drain(reader);
}

Outcome read_split(std::string_view bytes, std::size_t at) {
  Http1Reader reader(RequestLimits{});
  reader.feed(bytes.substr(0, at));
  reader.feed(bytes.substr(at));
  return drain(reader);
}

Outcome read_bytewise(std::string_view bytes) {
  Http1Reader reader(RequestLimits{});
  for (const char& byte : bytes) reader.feed(std::string_view(&byte, 1));
  return drain(reader);
}

constexpr std::string_view kConversations[] = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\nGET /a?b=c HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\nHEAD /d HTTP/1.0\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\nHost: a\r\nConnection: "
    "close\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
    "chunked\r\n\r\n3;e=\"x\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: "
    "x\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nBad Name: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
    "chunked\r\n\r\n1;e=\"x#\r\na\r\n",
};

TEST(Http1Reader, EverySplitGivesTheSame) {
  for (const std::string_view bytes : kConversations) {
    const Outcome whole = read_whole(bytes);
    EXPECT_FALSE(whole.requests.empty()) << bytes;
    EXPECT_EQ(read_bytewise(bytes), whole) << bytes;
    for (std::size_t at = 0; at <= bytes.size(); ++at) EXPECT_EQ(read_split(bytes, at), whole) << bytes << " at " << at;
  }
}

TEST(Http1Reader, ReadsARequest) {
  const auto outcome = read_whole("GET /a%20b?c=d HTTP/1.1\r\nHost: x:80\r\nAccept:  image/webp \r\n\r\n");
  ASSERT_EQ(outcome.requests.size(), 1u);
  EXPECT_EQ(outcome.requests[0], "GET /a%20b?c=d 1.1 keep [Host=x:80] [Accept=image/webp] {}");
}

TEST(Http1Reader, CutsAbsoluteTargets) {
  const auto target_of = [](const std::string& target) {
    Http1Reader reader(RequestLimits{});
    reader.feed("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto request = reader.take();
    return request ? request->target : "none";
  };
  EXPECT_EQ(target_of("http://h/a?b"), "/a?b");
  EXPECT_EQ(target_of("HTTPS://h"), "/");
  EXPECT_EQ(target_of("http://h?q"), "/?q");
  EXPECT_EQ(target_of("ftp://h/a"), "none");
  EXPECT_EQ(target_of("h:443"), "none");
  EXPECT_EQ(target_of("*"), "none");
  EXPECT_EQ(target_of("/a#b"), "none");
}

TEST(Http1Reader, KeepAliveRules) {
  const auto keeps = [](const std::string& version, const std::string& lines) {
    Http1Reader reader(RequestLimits{});
    reader.feed("GET / HTTP/" + version + "\r\nHost: h\r\n" + lines + "\r\n");
    return reader.take().value().keep_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: upgrade, Close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "connection: Keep-Alive\r\n"));
}

/// Each is refused as malformed, and nothing behind it is read.
class Http1ReaderMalformed : public testing::TestWithParam<std::string_view> {};

TEST_P(Http1ReaderMalformed, IsRefused) {
  const std::string bytes = std::string(GetParam()) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const Outcome outcome = read_whole(bytes);
  EXPECT_EQ(outcome.failure, ErrorCode::kMalformedRequest) << bytes;
  EXPECT_TRUE(outcome.requests.empty());
  EXPECT_EQ(read_bytewise(bytes), outcome);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, Http1ReaderMalformed,
    testing::Values(
        "GET / HTTP/1.1\r\n\r\n",                                // No Host.
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",          // Two.
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",                   // None at all.
        "GET / HTTP/1.1\nHost: a\n\n",                           // Bare LF.
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n",          // Bare CR.
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n folded\r\n\r\n",  // Folded line.
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",                    // Blank before the first field.
        "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",            // Blank before the colon.
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",         // No field.
        "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n",          // No name.
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",                    // Two blanks.
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",                     // Another protocol.
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",                      // Likewise.
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",                     // No method.
        "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n",                 // Control character in the target.
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",             // Two empty lines.
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0b"
        "chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\na\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;e=\"x\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1 bad\r\na\r\n0\r\n\r\n"));

TEST(Http1Reader, NulIsRefused) {
  using std::string_literals::operator""s;
  EXPECT_EQ(read_whole("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n"s).failure, ErrorCode::kMalformedRequest);
  EXPECT_EQ(read_whole("\x16\x03\x01\0"s).failure, ErrorCode::kMalformedRequest);
}

TEST(Http1Reader, ControlCharacterInAValueIsRefused) {
  EXPECT_EQ(read_whole("GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n").failure, ErrorCode::kMalformedRequest);
}

TEST(Http1Reader, RequestsBeforeAFailureCanStillBeTaken) {
  const auto outcome = read_whole("GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n");
  EXPECT_EQ(outcome.requests.size(), 1u);
  EXPECT_EQ(outcome.failure, ErrorCode::kMalformedRequest);
}

TEST(Http1Reader, NothingIsReadAfterAFailure) {
  Http1Reader reader(RequestLimits{});
  reader.feed("nonsense\r\n\r\n");
  reader.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(reader.take());
  EXPECT_FALSE(reader.is_mid_request());
}

TEST(Http1Reader, LongestTargetPassesAndOneByteMoreDoesNot) {
  const auto with_target = [](std::size_t length) {
    return "GET /" + std::string(length - 1, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(read_whole(with_target(8192)).requests.size(), 1u);
  EXPECT_EQ(read_whole(with_target(8193)).failure, ErrorCode::kUriTooLong);
  EXPECT_EQ(read_whole("GET /" + std::string(20'000, 'a')).failure, ErrorCode::kUriTooLong);  // Not whole yet.
}

TEST(Http1Reader, LongestHeadPassesAndOneByteMoreDoesNot) {
  const auto with_head = [](std::size_t length) {
    const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    return begin + std::string(length - begin.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(read_whole(with_head(32 * 1024)).requests.size(), 1u);
  EXPECT_EQ(read_whole(with_head(32 * 1024 + 1)).failure, ErrorCode::kHeadersTooLarge);
}

TEST(Http1Reader, MostFieldsPassAndOneMoreDoesNot) {
  const auto with_fields = [](int count) {
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int i = 1; i < count; ++i) head += "X: y\r\n";
    return head + "\r\n";
  };
  EXPECT_EQ(read_whole(with_fields(100)).requests.size(), 1u);
  EXPECT_EQ(read_whole(with_fields(101)).failure, ErrorCode::kHeadersTooLarge);
}

TEST(Http1Reader, LongestBodyPassesAndOneByteMoreDoesNot) {
  const RequestLimits limits{.max_body_bytes = 4};
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(read_whole(head + "Content-Length: 4\r\n\r\nabcd", limits).requests.size(), 1u);
  EXPECT_EQ(read_whole(head + "Content-Length: 5\r\n\r\n", limits).failure, ErrorCode::kBodyTooLarge);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read_whole(chunked + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", limits).requests.size(), 1u);
  EXPECT_EQ(read_whole(chunked + "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", limits).failure, ErrorCode::kBodyTooLarge);
}

TEST(Http1Reader, KeepsOnlyBodiesThatHaveAUse) {
  const std::string next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::string method : {"GET", "HEAD", "OPTIONS", "DELETE", "BREW", "POST", "PUT"}) {
    const bool keeps = method == "POST" || method == "PUT";
    for (const std::string body :
         {"Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"}) {
      Http1Reader reader(RequestLimits{});
      reader.feed(method + " / HTTP/1.1\r\nHost: a\r\n" + body + next);
      ASSERT_EQ(reader.ready(), 2u) << method;
      EXPECT_EQ(reader.take()->body, keeps ? "hello" : "") << method;
      EXPECT_EQ(reader.take()->target, "/next") << method;
    }
  }
}

TEST(Http1Reader, BodiesThatAreDroppedAreLimitedToo) {
  const RequestLimits limits{.max_body_bytes = 4};
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(read_whole(head + "Content-Length: 5\r\n\r\n", limits).failure, ErrorCode::kBodyTooLarge);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read_whole(chunked + "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", limits).failure, ErrorCode::kBodyTooLarge);
}

TEST(Http1Reader, EndlessChunkExtensionsAndTrailersAreRefused) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read_whole(chunked + "1;" + std::string(40'000, 'x')).failure, ErrorCode::kHeadersTooLarge);
  std::string trailers;
  for (int i = 0; i < 8'000; ++i) trailers += "X: y\r\n";
  EXPECT_EQ(read_whole(chunked + "0\r\n" + trailers).failure, ErrorCode::kHeadersTooLarge);
}

TEST(Http1Reader, TellsOnceWhenTheClientWaitsToBeInvited) {
  Http1Reader reader(RequestLimits{});
  reader.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_TRUE(reader.is_mid_request());
  EXPECT_TRUE(reader.take_continue());
  EXPECT_FALSE(reader.take_continue());
  reader.feed("ab");
  EXPECT_EQ(reader.take()->body, "ab");
}

TEST(Http1Reader, NoInvitationForBodiesThatComeUnasked) {
  Http1Reader reader(RequestLimits{});
  reader.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\na");
  EXPECT_FALSE(reader.take_continue());
  Http1Reader old(RequestLimits{});
  old.feed("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_FALSE(old.take_continue());
  Http1Reader none(RequestLimits{});
  none.feed("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_FALSE(none.take_continue());
}

TEST(Http1Reader, InvitationWaitsForEarlierRequests) {
  Http1Reader reader(RequestLimits{});
  reader.feed(
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
      "2\r\n\r\n");
  EXPECT_FALSE(reader.take_continue());
  EXPECT_TRUE(reader.take());
  EXPECT_TRUE(reader.take_continue());
}

TEST(Http1Reader, KnowsTheBytesThatItHolds) {
  Http1Reader reader({});
  EXPECT_EQ(reader.held_bytes(), 0u);
  reader.feed("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  const std::size_t half = reader.held_bytes();
  EXPECT_GE(half, 5u);
  EXPECT_EQ(reader.ready_bytes(), 0u);
  reader.feed("67890GET /b HTTP/1.1\r\n");
  EXPECT_EQ(reader.ready_bytes(), half + 5);
  EXPECT_EQ(reader.held_bytes(), half + 5 + 17);
  EXPECT_TRUE(reader.take().has_value());
  EXPECT_EQ(reader.held_bytes(), 17u);
}

TEST(Http1Reader, CanBeRefusedByItsCaller) {
  Http1Reader reader({});
  reader.feed("GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  reader.refuse({base::ErrorCode::kOverloaded, "no", {}});
  reader.refuse({base::ErrorCode::kInternal, "too late", {}});
  ASSERT_TRUE(reader.failure().has_value());
  EXPECT_EQ(reader.failure()->code, base::ErrorCode::kOverloaded);
  EXPECT_EQ(reader.take()->target, "/a");
  reader.feed("67890");
  EXPECT_EQ(reader.held_bytes(), 0u);
  EXPECT_FALSE(reader.take().has_value());
}

}  // namespace
}  // namespace optimux::http
