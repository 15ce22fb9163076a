#include "source/s3_headers.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using Action = ObjectRequest::Action;

const S3Target kTarget{{"http://127.0.0.1:9000/bucket/key", "127.0.0.1"}, "127.0.0.1:9000", "/bucket/key"};
const S3Credentials kCredentials{"access", "secret", "token", std::nullopt};
const std::chrono::system_clock::time_point kTime{std::chrono::seconds(1'369'353'600)};

std::vector<std::string> headers_of(const ObjectRequest& request, const S3Credentials& credentials = kCredentials) {
  return s3_headers(request, kTarget, credentials, "eu-west-1", kTime, "hash");
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string signed_names(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const std::size_t begin = line.find("SignedHeaders=");
    if (begin != std::string::npos) return line.substr(begin + 14, line.find(',', begin) - begin - 14);
  }
  return {};
}

TEST(S3HeadersTest, SignsHostDateHashAndToken) {
  const auto lines = headers_of({.action = Action::kGet, .name = {"bucket", "key"}});
  EXPECT_EQ(signed_names(lines), "host;x-amz-content-sha256;x-amz-date;x-amz-security-token");
  EXPECT_TRUE(has(lines, "x-amz-date: 20130524T000000Z"));
  EXPECT_TRUE(has(lines, "x-amz-content-sha256: hash"));
  EXPECT_TRUE(has(lines, "x-amz-security-token: token"));
}

TEST(S3HeadersTest, LeavesOutOfTheSignatureWhatProxiesMayChange) {
  const auto lines = headers_of({.action = Action::kGet,
                                 .name = {"bucket", "key"},
                                 .range = ByteRange{10, 5},
                                 .validators = {.etag = "\"tag\"", .last_modified = kTime}});
  EXPECT_EQ(signed_names(lines), "host;x-amz-content-sha256;x-amz-date;x-amz-security-token");
  EXPECT_TRUE(has(lines, "Range: bytes=10-14"));
  EXPECT_TRUE(has(lines, "If-None-Match: \"tag\""));
  EXPECT_TRUE(has(lines, "If-Modified-Since: Fri, 24 May 2013 00:00:00 GMT"));
}

TEST(S3HeadersTest, SignsWhatAPutSaysOfItsObject) {
  const auto lines = headers_of({.action = Action::kPut,
                                 .name = {"bucket", "key"},
                                 .content_type = "image/webp",
                                 .cache_control = "max-age=60",
                                 .metadata = {{"a-b", "1"}, {"a", "2"}},
                                 .tags = {{"state", "processed & done"}}});
  EXPECT_EQ(signed_names(lines),
            "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-amz-meta-a-b;x-amz-security-token;"
            "x-amz-tagging");
  EXPECT_TRUE(has(lines, "x-amz-tagging: state=processed%20%26%20done"));
  EXPECT_TRUE(has(lines, "Cache-Control: max-age=60"));
  EXPECT_TRUE(has(lines, "Expect:")) << "libcurl must not wait for leave to send the body";
}

TEST(S3HeadersTest, SignsNothingForAnybodysBucket) {
  for (const std::string& line : headers_of({.action = Action::kGet, .name = {"bucket", "key"}}, {})) {
    ADD_FAILURE() << line;
  }
}

}  // namespace
}  // namespace optimux::source
