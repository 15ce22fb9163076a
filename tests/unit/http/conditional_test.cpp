#include "http/conditional.hpp"

#include <gtest/gtest.h>

#include "base/http_date.hpp"

namespace optimux::http {
namespace {

constexpr std::string_view kTag = "\"abc\"";

TEST(Conditional, TagsMatchWeakly) {
  for (const auto* const list :
       {"\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",W/\"abc\" , \"y\"", "*", " * ", "\"a,b\", \"abc\""}) {
    EXPECT_TRUE(etag_list_matches(list, kTag)) << list;
  }
  EXPECT_TRUE(etag_list_matches("\"abc\"", "W/\"abc\""));
}

TEST(Conditional, OtherTagsDoNot) {
  for (const auto* const list :
       {"", "\"abd\"", "abc", "\"abc", "\"x\" \"abc\"", "w/\"abc\"", "\"x, abc\"", "\"ABC\""}) {
    EXPECT_FALSE(etag_list_matches(list, kTag)) << list;
  }
}

TEST(Conditional, NotModifiedByTag) {
  EXPECT_TRUE(is_not_modified({{"If-None-Match", "\"abc\""}}, kTag, std::nullopt));
  EXPECT_TRUE(is_not_modified({{"If-None-Match", "\"x\""}, {"If-None-Match", "\"abc\""}}, kTag, std::nullopt));
  EXPECT_FALSE(is_not_modified({{"If-None-Match", "\"x\""}}, kTag, std::nullopt));
  EXPECT_FALSE(is_not_modified({{"If-None-Match", "*"}}, "", std::nullopt));
  EXPECT_FALSE(is_not_modified({}, kTag, std::nullopt));
}

TEST(Conditional, TheStarNamesNoTag) {
  EXPECT_TRUE(names_etag({{"If-None-Match", "\"abc\""}}, kTag));
  EXPECT_TRUE(names_etag({{"If-None-Match", "\"x\""}, {"If-None-Match", "W/\"abc\""}}, kTag));
  EXPECT_FALSE(names_etag({{"If-None-Match", " * "}}, kTag));
  EXPECT_FALSE(names_etag({{"If-None-Match", "\"x\""}}, kTag));
  EXPECT_FALSE(names_etag({{"If-None-Match", "\"\""}}, ""));
  EXPECT_FALSE(names_etag({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, kTag));
}

TEST(Conditional, NotModifiedByDate) {
  const auto modified = base::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").value() + std::chrono::milliseconds(400);
  EXPECT_TRUE(is_not_modified({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, kTag, modified));
  EXPECT_TRUE(is_not_modified({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:38 GMT"}}, kTag, modified));
  EXPECT_FALSE(is_not_modified({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}, kTag, modified));
  EXPECT_FALSE(is_not_modified({{"If-Modified-Since", "yesterday"}}, kTag, modified));
  EXPECT_FALSE(is_not_modified({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, kTag, std::nullopt));
}

TEST(Conditional, TheTagOutweighsTheDate) {
  const auto modified = base::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_FALSE(is_not_modified({{"If-None-Match", "\"x\""}, {"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}},
                               kTag, modified));
}

}  // namespace
}  // namespace optimux::http
