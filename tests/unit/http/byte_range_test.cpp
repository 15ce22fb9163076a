#include "http/byte_range.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

constexpr std::string_view kTag = "\"abc\"";

/// `whole`, `none` or `FIRST-LAST`, of 1,000 bytes.
std::string selected(const Headers& request, std::uint64_t size = 1000) {
  const RangeSelection selection = select_range(request, kTag, size);
  switch (selection.verdict) {
    case RangeSelection::Verdict::kWhole: return "whole";
    case RangeSelection::Verdict::kUnsatisfiable: return "none";
    case RangeSelection::Verdict::kPart: break;
  }
  EXPECT_EQ(selection.part.size(), selection.part.last - selection.part.first + 1);
  return std::to_string(selection.part.first) + '-' + std::to_string(selection.part.last);
}

std::string selected(const char* range, std::uint64_t size = 1000) {
  return selected(Headers{{"Range", range}}, size);
}

TEST(ByteRange, OneRangeIsFollowed) {
  EXPECT_EQ(selected("bytes=0-0"), "0-0");
  EXPECT_EQ(selected("bytes=0-499"), "0-499");
  EXPECT_EQ(selected("bytes=500-"), "500-999");
  EXPECT_EQ(selected("bytes=-1"), "999-999");
  EXPECT_EQ(selected("bytes=-300"), "700-999");
  EXPECT_EQ(selected("Bytes= 1-2 "), "1-2");
}

TEST(ByteRange, WhatIsBeyondTheEndIsCutOff) {
  EXPECT_EQ(selected("bytes=999-1000"), "999-999");
  EXPECT_EQ(selected("bytes=0-99999999999999999999999999"), "0-999");
  EXPECT_EQ(selected("bytes=-99999999999999999999999999"), "0-999");
}

TEST(ByteRange, NoByteOfItExists) {
  for (const auto* const range : {"bytes=1000-", "bytes=1000-2000", "bytes=-0", "bytes=18446744073709551616-"}) {
    EXPECT_EQ(selected(range), "none") << range;
  }
  EXPECT_EQ(selected("bytes=0-", 0), "none");
  EXPECT_EQ(selected("bytes=-5", 0), "none");
}

TEST(ByteRange, WhatCannotBeReadIsIgnored) {
  for (const auto* const range : {"", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=5-4", "bytes=a-b", "bytes=+1-2",
                                  "bytes=1 - 2", "bytes=0x1-2", "bytes=--1", "bytes=1--2", "rows=0-1", "byte=0-1"}) {
    EXPECT_EQ(selected(range), "whole") << range;
  }
}

TEST(ByteRange, SeveralRangesGiveTheWhole) {
  EXPECT_EQ(selected("bytes=0-1,3-4"), "whole");
  EXPECT_EQ(selected("bytes=0-1, -1"), "whole");
  EXPECT_EQ(selected({{"Range", "bytes=0-1"}, {"Range", "bytes=3-4"}}), "whole");
}

TEST(ByteRange, IfRangeHasToBeTheTagItself) {
  EXPECT_EQ(selected({{"Range", "bytes=0-1"}, {"If-Range", "\"abc\""}}), "0-1");
  for (const auto* const other : {"\"abd\"", "W/\"abc\"", "*", "", "\"abc\", \"x\"", "Sun, 06 Nov 1994 08:49:37 GMT"}) {
    EXPECT_EQ(selected({{"Range", "bytes=0-1"}, {"If-Range", other}}), "whole") << other;
  }
  EXPECT_EQ(select_range({{"Range", "bytes=0-1"}, {"If-Range", ""}}, "", 10).verdict, RangeSelection::Verdict::kWhole);
}

TEST(ByteRange, WithoutTheFieldItIsTheWhole) {
  EXPECT_EQ(selected(Headers{}), "whole");
  EXPECT_EQ(selected({{"If-Range", "\"abc\""}}), "whole");
}

TEST(ByteRange, ContentRange) {
  EXPECT_EQ(content_range({0, 99}, 1234), "bytes 0-99/1234");
  EXPECT_EQ(unsatisfied_range(1234), "bytes */1234");
}

}  // namespace
}  // namespace optimux::http
