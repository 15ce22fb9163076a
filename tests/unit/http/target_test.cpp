#include "http/target.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Target, SplitsAtTheFirstQuestionMark) {
  EXPECT_EQ(split_target("/a?b=c?d").path, "/a");
  EXPECT_EQ(split_target("/a?b=c?d").query, "b=c?d");
  EXPECT_EQ(split_target("/a").query, "");
}

TEST(Target, QueryIsDecodedOnce) {
  const auto query = parse_query("a=%2520&b=1+2&&c&d=&%65=x=y");
  ASSERT_TRUE(query);
  ASSERT_EQ(query->size(), 5u);
  EXPECT_EQ((*query)[0].value, "%20");
  EXPECT_EQ((*query)[1].value, "1 2");
  EXPECT_EQ((*query)[2].name, "c");
  EXPECT_EQ((*query)[3].value, "");
  EXPECT_EQ((*query)[4].name, "e");
  EXPECT_EQ((*query)[4].value, "x=y");
}

TEST(Target, BrokenEscapesAreRefused) {
  for (const auto* const bad : {"a=%", "a=%2", "a=%zz", "%=1"}) {
    const auto query = parse_query(bad);
    ASSERT_FALSE(query) << bad;
    EXPECT_EQ(query.error().code, base::ErrorCode::kInvalidUrl);
  }
  EXPECT_FALSE(decode_path("a%2"));
}

TEST(Target, PathsKeepTheirPlus) {
  EXPECT_EQ(decode_path("a+b%20c").value(), "a+b c");
  EXPECT_EQ(decode_path("%252e").value(), "%2e");
}

TEST(Target, WrittenQueriesAreReadBack) {
  const std::vector<QueryParameter> parameters = {
      {"image_url", "http://h:1/a b?x=1&y=2#z"}, {"sizes", "300x0"}, {"n\xc3\xa4me", "50%+\""}, {"empty", ""}};
  const auto back = parse_query(write_query(parameters));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ((*back)[i].name, parameters[i].name);
    EXPECT_EQ((*back)[i].value, parameters[i].value);
  }
}

}  // namespace
}  // namespace optimux::http
