#include "source/source.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using base::ErrorCode;

TEST(SourceLocatorTest, ReadsHttpUrls) {
  const auto locator = parse_source_url("HTTP://Example.com:80/a.jpg#x");
  ASSERT_TRUE(locator);
  EXPECT_EQ(locator->kind, SourceLocator::Kind::kHttp);
  EXPECT_EQ(locator->value, "http://example.com/a.jpg");
  EXPECT_EQ(locator->canonical(), "http:http://example.com/a.jpg");
}

TEST(SourceLocatorTest, ReadsFileUrls) {
  const auto locator = parse_source_url("file:///a%20b.jpg");
  ASSERT_TRUE(locator);
  EXPECT_EQ(*locator, (SourceLocator{SourceLocator::Kind::kFile, "a b.jpg"}));
  EXPECT_EQ(*locator, *make_file_locator("a b.jpg"));
  EXPECT_EQ(locator->canonical(), "file:a b.jpg");
}

TEST(SourceLocatorTest, AFileNamedLikeAUrlIsNotThatUrl) {
  EXPECT_NE(make_file_locator("http://h/")->canonical(), parse_source_url("http://h/")->canonical());
}

TEST(SourceLocatorTest, KeepsKeysByteForByte) {
  for (const std::string key : {"3js%205-x.jpg", "John_Doe #1 (P 1)[5].jpg", "\xFF\xFE", "a//b", "./a", "a\nb"}) {
    EXPECT_EQ(make_file_locator(key)->value, key);
  }
}

TEST(SourceLocatorTest, RefusesKeysThatCannotBe) {
  EXPECT_EQ(make_file_locator("").error().code, ErrorCode::kInvalidUrl);
  EXPECT_EQ(make_file_locator(std::string_view("a\0b", 3)).error().code, ErrorCode::kInvalidUrl);
  EXPECT_EQ(make_file_locator(std::string(8193, 'a')).error().code, ErrorCode::kInvalidUrl);
  EXPECT_TRUE(make_file_locator(std::string(8192, 'a')));
  EXPECT_EQ(parse_source_url("file:///a%00.jpg").error().code, ErrorCode::kInvalidUrl);
}

TEST(SourceLocatorTest, RefusesOtherSchemes) {
  EXPECT_EQ(parse_source_url("ftp://h/x").error().code, ErrorCode::kForbiddenSource);
  EXPECT_EQ(parse_source_url("/etc/passwd").error().code, ErrorCode::kInvalidUrl);
}

TEST(SourceFactsTest, AConfirmationChangesWhatItNamesAndNothingElse) {
  const auto then = std::chrono::system_clock::from_time_t(784111777);
  const OriginFreshness minute{.lifetime = std::chrono::seconds(60)};
  const SourceFacts known{then, "\"a\"", "max-age=60", "http://x/end", minute};

  const SourceFacts silent = known.confirmed_by({});
  EXPECT_EQ(silent.validators(), known.validators());
  EXPECT_EQ(silent.cache_control, "max-age=60");
  EXPECT_EQ(silent.freshness, minute);

  const OriginFreshness never{.may_be_kept = false};
  const SourceFacts told =
      known.confirmed_by({then + std::chrono::seconds(1), "W/\"b\"", "no-store", "http://y/", never});
  EXPECT_EQ(told.validators(), (SourceValidators{"W/\"b\"", then + std::chrono::seconds(1), "http://x/end"}));
  EXPECT_EQ(told.cache_control, "no-store");
  EXPECT_EQ(told.freshness, never);
}

TEST(SourceFactsTest, ValidatorsAreEmptyWithoutTagAndDate) {
  EXPECT_TRUE(SourceValidators{}.empty());
  EXPECT_TRUE((SourceValidators{.place = "http://x/"}).empty());
  EXPECT_FALSE((SourceValidators{.etag = "\"a\""}).empty());
  EXPECT_FALSE((SourceValidators{.last_modified = std::chrono::system_clock::from_time_t(0)}).empty());
}

}  // namespace
}  // namespace optimux::source
