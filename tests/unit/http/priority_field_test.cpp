#include "http/priority_field.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

PriorityParameters parameters(std::optional<int> urgency, std::optional<bool> incremental = std::nullopt) {
  return {urgency, incremental};
}

TEST(PriorityField, ReadsWhatBrowsersSend) {
  EXPECT_EQ(parse_priority_field("u=0, i"), parameters(0, true));
  EXPECT_EQ(parse_priority_field("u=2"), parameters(2));
  EXPECT_EQ(parse_priority_field("i"), parameters(std::nullopt, true));
  EXPECT_EQ(parse_priority_field("u=5,i"), parameters(5, true));
  EXPECT_EQ(parse_priority_field("i=?0;a=1, u=7"), parameters(7, false));
  EXPECT_EQ(parse_priority_field(""), PriorityParameters());
  EXPECT_EQ(parse_priority_field("  "), PriorityParameters());
}

TEST(PriorityField, PassesOverUnknownKeysOfAnyType) {
  EXPECT_EQ(parse_priority_field("a, b=1.5, c=\"x,u=1\\\"\", *d=tok/en, e=:aGk=:, f=(1 \"2\";p=?0 c);q, u=4"),
            parameters(4));
  EXPECT_EQ(parse_priority_field("change=(1000;u=3 10000);i, u=1"), parameters(1));
}

TEST(PriorityField, PassesOverValuesOutOfRangeOrOfAnotherType) {
  for (const char* value : {"u=8", "u=-1", "u=1.0", "u=?1", "u", "u=\"1\"", "u=(1)", "u=999999999999999"}) {
    EXPECT_EQ(parse_priority_field(std::string(value) + ", i"), parameters(std::nullopt, true)) << value;
  }
  EXPECT_EQ(parse_priority_field("u=1, i=1"), parameters(1));
}

TEST(PriorityField, TheLastOfAKeyCounts) {
  EXPECT_EQ(parse_priority_field("u=1, u=3"), parameters(3));
  EXPECT_EQ(parse_priority_field("u=1, u=x"), PriorityParameters());
  EXPECT_EQ(parse_priority_field("i, i=?0"), parameters(std::nullopt, false));
}

TEST(PriorityField, TakesNothingOfWhatIsNoDictionary) {
  for (const char* value : {"u=1,",
                            "u=1 i",
                            "U=1",
                            "u=",
                            "u=1, i=?2",
                            "u=1;",
                            "u=1, a=\"",
                            "u=1, a=(1",
                            "u=1, a=(1x)",
                            "u=1, a=:x",
                            "u=1, a=\"\\x\"",
                            "u=1, a=\"\x7f\"",
                            ",u=1",
                            "u=1,,i",
                            "u=1000000000000000",
                            "u=1, a=1.",
                            "u=1, a=1.2345",
                            "u=1, a=1234567890123.1",
                            "u=1, a=-",
                            "u=1, a=@1",
                            "1",
                            "u=1, a=(1 2;)",
                            "u=1, a;B"}) {
    EXPECT_EQ(parse_priority_field(value), PriorityParameters()) << value;
  }
}

TEST(PriorityField, AllowsBlanksWhereTheGrammarDoes) {
  EXPECT_EQ(parse_priority_field("  u=1 \t,\t i;  a  "), parameters(1, true));
  EXPECT_EQ(parse_priority_field("u =1"), PriorityParameters());
}

}  // namespace
}  // namespace optimux::http
