#include "base/quantity.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

using std::chrono::milliseconds;

TEST(Quantity, ReadsBytesWithTheirUnits) {
  EXPECT_EQ(parse_bytes("64MiB").value(), 64ull << 20);
  EXPECT_EQ(parse_bytes(" 512 KiB ").value(), 512ull << 10);
  EXPECT_EQ(parse_bytes("1.5GiB").value(), 3ull << 29);
  EXPECT_EQ(parse_bytes("1GB").value(), 1'000'000'000u);
  EXPECT_EQ(parse_bytes("4096").value(), 4096u);
  EXPECT_EQ(parse_bytes("0").value(), 0u);
}

TEST(Quantity, RefusesBytesThatAreNone) {
  for (const char* text : {"", "MiB", "-1MiB", "1XB", "1 2", "1e3", "nan", "99999999999TiB", "0x10", "1.2.3"}) {
    EXPECT_FALSE(parse_bytes(text).has_value()) << text;
  }
}

TEST(Quantity, ReadsDurationsWithTheirUnits) {
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("2.5s").value(), milliseconds(2500));
  EXPECT_EQ(parse_duration("3m").value(), milliseconds(180'000));
  EXPECT_EQ(parse_duration("1h").value(), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("0").value(), milliseconds(0));
}

TEST(Quantity, RefusesADurationWithoutUnit) {
  for (const char* text : {"", "5", "-5s", "s", "5d", "5 s s"}) EXPECT_FALSE(parse_duration(text).has_value()) << text;
}

TEST(Quantity, NamesTheTextItCouldNotRead) {
  EXPECT_NE(parse_bytes("lots").error().detail.find("'lots'"), std::string::npos);
  EXPECT_EQ(parse_duration("soon").error().code, ErrorCode::kInvalidParameter);
}

TEST(Quantity, FormatsWhatItReads) {
  for (const std::uint64_t bytes : {0ull, 1ull, 1023ull, 1024ull, 64ull << 20, 5ull << 30, (1ull << 30) + 1}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)).value(), bytes);
  }
  for (const int count : {0, 1, 999, 1000, 60'000, 90'000, 3'600'000}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds(count))).value(), milliseconds(count));
  }
  EXPECT_EQ(format_bytes(64ull << 20), "64MiB");
  EXPECT_EQ(format_duration(milliseconds(90'000)), "90s");
}

}  // namespace
}  // namespace optimux::base
