#include "apps/optimux/settings/option.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

Option make_option(OptionType type, std::int64_t min = 0, std::int64_t max = 1'000'000) {
  Option option;
  option.key = "some_key";
  option.type = type;
  option.min = min;
  option.max = max;
  return option;
}

std::string detail_of(const base::Result<OptionValue>& result) {
  return result ? "no error" : result.error().detail;
}

TEST(Option, FlagAndVariableFollowFromTheKey) {
  const Option option = make_option(OptionType::kText);
  EXPECT_EQ(option.flag(), "--some-key");
  EXPECT_EQ(option.variable(), "OPTIMUX_SOME_KEY");
}

TEST(Option, BytesAreReadWithTheirUnit) {
  const Option option = make_option(OptionType::kBytes);
  EXPECT_EQ(parse_option(option, "64KiB"), OptionValue(std::int64_t{65'536}));
  EXPECT_EQ(format_option(option, OptionValue(std::int64_t{65'536})), "64KiB");
}

TEST(Option, DurationsNeedAUnit) {
  const Option option = make_option(OptionType::kDuration, 1, 60'000);
  EXPECT_EQ(parse_option(option, "1.5s"), OptionValue(std::int64_t{1'500}));
  EXPECT_EQ(detail_of(parse_option(option, "5")), "'5' is not a duration (as in 250ms, 5s or 2m): expected 1ms to 1m");
}

TEST(Option, BooleansAreReadInTheUsualWords) {
  const Option option = make_option(OptionType::kBoolean);
  for (const char* yes : {"true", "1", "yes", "ON"}) EXPECT_EQ(parse_option(option, yes), OptionValue(true)) << yes;
  for (const char* no : {"false", "0", "no", "Off"}) EXPECT_EQ(parse_option(option, no), OptionValue(false)) << no;
  EXPECT_EQ(detail_of(parse_option(option, "maybe")), "'maybe' is not a truth value: expected true or false");
}

TEST(Option, ListsAreCutAtCommasAndTrimmed) {
  const Option option = make_option(OptionType::kList);
  EXPECT_EQ(parse_option(option, " a, b ,,c"), OptionValue(std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(parse_option(option, ""), OptionValue(std::vector<std::string>{}));
}

TEST(Option, ANumberOutOfRangeNamesValueAndRange) {
  const Option option = make_option(OptionType::kInteger, 1, 10);
  EXPECT_EQ(parse_option(option, "1"), OptionValue(std::int64_t{1}));
  EXPECT_EQ(parse_option(option, "10"), OptionValue(std::int64_t{10}));
  EXPECT_EQ(detail_of(parse_option(option, "0")), "0 is out of range: expected 1 to 10");
  EXPECT_EQ(detail_of(parse_option(option, "11")), "11 is out of range: expected 1 to 10");
  EXPECT_EQ(detail_of(parse_option(option, "ten")), "'ten' is not a whole number: expected 1 to 10");
  EXPECT_EQ(detail_of(parse_option(option, "")), "'' is not a whole number: expected 1 to 10");
}

TEST(Option, ANegativeNumberOfBytesIsNotALargeOne) {
  const Option option = make_option(OptionType::kBytes, 0, 10);
  const auto checked = check_option(option, OptionValue(std::int64_t{-1}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().detail, "-1 is out of range: expected 0B to 10B");
}

TEST(Option, AStepRefusesWhatWouldBeRounded) {
  Option option = make_option(OptionType::kDuration, 0, 10'000);
  option.step = 1'000;
  EXPECT_TRUE(parse_option(option, "2s"));
  EXPECT_EQ(detail_of(parse_option(option, "1500ms")), "1500ms is out of range: expected 0ms to 10s in steps of 1s");
}

TEST(Option, AChoiceNamesTheOthers) {
  Option option = make_option(OptionType::kText);
  option.choices = {"text", "json", "none"};
  EXPECT_EQ(parse_option(option, "json"), OptionValue(std::string("json")));
  EXPECT_EQ(parse_option(option, "JSON"), OptionValue(std::string("json")));
  EXPECT_EQ(detail_of(parse_option(option, "xml")), "'xml' is not allowed: expected text, json or none");
}

TEST(Option, AFormHoldsForEachTextOfAList) {
  Option option = make_option(OptionType::kList);
  option.form = "letters";
  option.matches_form = [](std::string_view text) { return text.find('1') == std::string_view::npos; };
  EXPECT_TRUE(parse_option(option, "a,b"));
  EXPECT_EQ(detail_of(parse_option(option, "a,b1")), "'b1' is not allowed: expected letters");
}

}  // namespace
}  // namespace optimux::apps
