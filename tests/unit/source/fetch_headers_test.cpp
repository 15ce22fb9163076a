#include "source/fetch_headers.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/via.hpp"

namespace optimux::source {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(const CurlList& list) {
  std::vector<std::string> lines;
  for (const curl_slist* entry = list.get(); entry != nullptr; entry = entry->next) lines.emplace_back(entry->data);
  return lines;
}

TEST(FetchHeadersTest, NameThisProcessAndThoseBefore) {
  EXPECT_THAT(lines_of(fetch_headers("", {})), ElementsAre("Via: " + via_field("")));
  EXPECT_THAT(lines_of(fetch_headers("1.1 optimux-01234567", {})),
              ElementsAre("Via: " + via_field("1.1 optimux-01234567")));
}

TEST(FetchHeadersTest, AskWithAllValidatorsThatThereAre) {
  const auto then = std::chrono::system_clock::from_time_t(784111777) + std::chrono::milliseconds(999);
  EXPECT_THAT(lines_of(fetch_headers("", {.etag = "W/\"a\"", .last_modified = then})),
              ElementsAre("Via: " + via_field(""), "If-None-Match: W/\"a\"",
                          "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"));
  EXPECT_THAT(lines_of(fetch_headers("", {.last_modified = then})),
              ElementsAre("Via: " + via_field(""), "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"));
}

TEST(FetchHeadersTest, AskForAPartOfOneState) {
  const auto then = std::chrono::system_clock::from_time_t(784111777);
  const ByteRange range{10, 5};
  EXPECT_THAT(lines_of(part_headers("", range, {.etag = "\"tag\"", .last_modified = then})),
              ElementsAre("Via: " + via_field(""), "Range: bytes=10-14", "If-Range: \"tag\""));
  EXPECT_THAT(lines_of(part_headers("", range, {.etag = "W/\"tag\"", .last_modified = then})),
              ElementsAre("Via: " + via_field(""), "Range: bytes=10-14", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"));
  EXPECT_THAT(lines_of(part_headers("", range, {.etag = "W/\"tag\""})),
              ElementsAre("Via: " + via_field(""), "Range: bytes=10-14"));
}

}  // namespace
}  // namespace optimux::source
