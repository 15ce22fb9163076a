#include "source/http_response_head.hpp"

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

HttpResponseHead head(std::initializer_list<std::string_view> lines) {
  HttpResponseHead result(1000);
  for (const std::string_view line : lines) EXPECT_TRUE(result.add_line(std::string(line) + "\r\n")) << line;
  return result;
}

TEST(HttpResponseHeadTest, ReadsStatusLinesOfBothProtocols) {
  EXPECT_EQ(head({"HTTP/1.1 200 OK", ""}).status(), 200);
  EXPECT_EQ(head({"HTTP/1.0 404 Not Found", ""}).status(), 404);
  EXPECT_EQ(head({"HTTP/2 503 ", ""}).status(), 503);
  EXPECT_EQ(head({"HTTP/1.1 200", ""}).status(), 200);
  EXPECT_EQ(head({"HTTP/1.1", ""}).status(), 0);
  EXPECT_EQ(head({"HTTP/1.1 abc", ""}).status(), 0);
}

TEST(HttpResponseHeadTest, IsCompleteAtTheEmptyLine) {
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", "A: b"}).is_complete());
  EXPECT_TRUE(head({"HTTP/1.1 200 OK", "A: b", ""}).is_complete());
}

TEST(HttpResponseHeadTest, PassesOverInterimAnswers) {
  const auto interim = head({"HTTP/1.1 103 Early Hints", "ETag: \"early\"", "Content-Length: 1", "Location: /x", ""});
  EXPECT_FALSE(interim.is_complete());
  const auto result = head({"HTTP/1.1 103 Early Hints", "ETag: \"early\"", "Content-Length: 1", "Location: /x", "",
                            "HTTP/1.1 200 OK", "Content-Length: 2", ""});
  EXPECT_TRUE(result.is_complete());
  EXPECT_EQ(result.status(), 200);
  EXPECT_EQ(result.content_length(), 2u);
  EXPECT_EQ(result.facts().etag, "");
  EXPECT_EQ(result.location(), "");
}

TEST(HttpResponseHeadTest, ReadsFieldsWhateverTheirCaseAndBlanks) {
  const auto result = head({"HTTP/1.1 200 OK", "LAST-modified:Sun, 06 Nov 1994 08:49:37 GMT", "etag:   W/\"x\"  ",
                            "Cache-Control: no-store", ""});
  EXPECT_EQ(std::chrono::system_clock::to_time_t(result.facts().last_modified.value()), 784111777);
  EXPECT_EQ(result.facts().etag, "W/\"x\"");
  EXPECT_EQ(result.facts().cache_control, "no-store");
}

TEST(HttpResponseHeadTest, ReadsHowLongTheAnswerMayBeUsed) {
  using std::chrono::seconds;
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", ""}).facts().freshness.is_known());
  EXPECT_EQ(head({"HTTP/1.1 200 OK", "Cache-Control: max-age=60", "Age: 15", ""}).facts().freshness.lifetime,
            seconds(45));
  EXPECT_EQ(
      head({"HTTP/1.1 200 OK", "Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Date: Sun, 06 Nov 1994 08:49:37 GMT", ""})
          .facts()
          .freshness.lifetime,
      seconds(60));
  EXPECT_EQ(head({"HTTP/1.1 200 OK", "Cache-Control: max-age=60", "Vary: Accept, *", ""}).facts().freshness.lifetime,
            seconds(0));
  const auto several = head({"HTTP/1.1 200 OK", "Cache-Control: public", "Cache-Control: no-store", ""});
  EXPECT_EQ(several.facts().cache_control, "public, no-store");
  EXPECT_FALSE(several.facts().freshness.may_be_kept);
}

TEST(HttpResponseHeadTest, TellsWhatIsNotModifiedAndWhatIsForGood) {
  EXPECT_TRUE(head({"HTTP/1.1 304 Not Modified", ""}).is_not_modified());
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", ""}).is_not_modified());
  EXPECT_TRUE(head({"HTTP/1.1 301 Moved", ""}).is_permanent_redirect());
  EXPECT_TRUE(head({"HTTP/1.1 308 Moved", ""}).is_permanent_redirect());
  EXPECT_FALSE(head({"HTTP/1.1 302 Found", ""}).is_permanent_redirect());
}

TEST(HttpResponseHeadTest, TakesNothingFromTrailers) {
  const auto result = head({"HTTP/1.1 200 OK", "", "ETag: \"late\"", "Content-Length: 5"});
  EXPECT_EQ(result.facts().etag, "");
  EXPECT_FALSE(result.content_length());
}

TEST(HttpResponseHeadTest, IgnoresDatesThatAreNone) {
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", "Last-Modified: yesterday", ""}).facts().last_modified);
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", "Last-Modified: ", ""}).facts().last_modified);
}

TEST(HttpResponseHeadTest, IgnoresValuesThatCouldForgeLines) {
  EXPECT_EQ(head({"HTTP/1.1 200 OK", "ETag: \"a\rSet-Cookie: x\"", ""}).facts().etag, "");
  EXPECT_EQ(head({"HTTP/1.1 302 Found", "Location: /a\x01z", ""}).location(), "");
}

TEST(HttpResponseHeadTest, IgnoresContinuationLinesAndLinesWithoutAColon) {
  const auto result = head({"HTTP/1.1 200 OK", "ETag: \"a\"", " Cache-Control: forged", "nonsense", ""});
  EXPECT_EQ(result.facts().etag, "\"a\"");
  EXPECT_EQ(result.facts().cache_control, "");
}

TEST(HttpResponseHeadTest, TellsRedirectsAndSources) {
  for (const char* status : {"301", "302", "303", "307", "308"}) {
    EXPECT_TRUE(head({std::string("HTTP/1.1 ") + status, ""}).is_redirect()) << status;
  }
  for (const char* status : {"200", "300", "304", "305", "306"}) {
    EXPECT_FALSE(head({std::string("HTTP/1.1 ") + status, ""}).is_redirect()) << status;
  }
  EXPECT_TRUE(head({"HTTP/1.1 203 x", ""}).has_source());
  for (const char* status : {"201", "204", "206", "304", "404"}) {
    EXPECT_FALSE(head({std::string("HTTP/1.1 ") + status, ""}).has_source()) << status;
  }
  EXPECT_EQ(head({"HTTP/1.1 302 Found", "Location: /a", "Location: /b", ""}).location(), "/a");
}

TEST(HttpResponseHeadTest, TellsHowTheBodyIsSent) {
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", ""}).is_framed());
  EXPECT_TRUE(head({"HTTP/1.1 200 OK", "Content-Length: 0", ""}).is_framed());
  EXPECT_TRUE(head({"HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""}).is_framed());
  EXPECT_TRUE(head({"HTTP/2 200", ""}).is_framed());
  EXPECT_TRUE(head({"HTTP/1.1 200 OK", "Content-Encoding: gzip", ""}).is_encoded());
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", "Content-Encoding: Identity", ""}).is_encoded());
  EXPECT_FALSE(head({"HTTP/1.1 200 OK", "Content-Encoding:", ""}).is_encoded());
}

TEST(HttpResponseHeadTest, RefusesLengthsThatContradictOrAreNone) {
  EXPECT_EQ(head({"HTTP/1.1 200 OK", "Content-Length: 7", "Content-Length: 7", ""}).content_length(), 7u);
  for (const char* length : {"8", "-1", "+7", "7x", "0x7", "", "99999999999999999999", "7, 7"}) {
    HttpResponseHead result = head({"HTTP/1.1 200 OK", "Content-Length: 7"});
    EXPECT_FALSE(result.add_line(std::string("Content-Length: ") + length)) << length;
  }
}

TEST(HttpResponseHeadTest, RefusesHeadsOverTheLimit) {
  HttpResponseHead result(100);
  EXPECT_TRUE(result.add_line("HTTP/1.1 200 OK\r\n"));                  // 17 bytes
  EXPECT_TRUE(result.add_line("A: " + std::string(78, 'a') + "\r\n"));  // 83 bytes
  EXPECT_FALSE(result.add_line("\r\n"));
}

TEST(HttpResponseHeadTest, CountsInterimAnswersToo) {
  HttpResponseHead result(100);
  bool taken = true;
  int lines = 0;
  while (taken && lines < 100) {
    taken = result.add_line(lines % 2 == 0 ? "HTTP/1.1 100 Continue\r\n" : "\r\n");
    ++lines;
  }
  EXPECT_LT(lines, 10);
}

}  // namespace
}  // namespace optimux::source
