#include "server/record_sizer.hpp"

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using namespace std::chrono_literals;

constexpr RecordSizer::Clock::time_point kNow{100s};

/// Writes full records at `now` until `bytes` are out.
void write(RecordSizer& sizer, std::size_t bytes, RecordSizer::Clock::time_point now) {
  for (std::size_t written = 0; written < bytes;) {
    const std::size_t size = std::min(sizer.limit(now), bytes - written);
    sizer.wrote(size, now);
    written += size;
  }
}

TEST(RecordSizer, RecordsAreSmallAtFirstAndLargeLater) {
  RecordSizer sizer;
  EXPECT_EQ(sizer.limit(kNow), RecordSizer::kSmall);
  write(sizer, RecordSizer::kSmallUpTo - 1, kNow);
  EXPECT_EQ(sizer.limit(kNow), RecordSizer::kSmall);
  write(sizer, 1, kNow);
  EXPECT_EQ(sizer.limit(kNow), RecordSizer::kLargest);
}

TEST(RecordSizer, APauseMakesThemSmallAgain) {
  RecordSizer sizer;
  write(sizer, RecordSizer::kSmallUpTo, kNow);
  EXPECT_EQ(sizer.limit(kNow + 999ms), RecordSizer::kLargest);
  EXPECT_EQ(sizer.limit(kNow + 1s), RecordSizer::kSmall);
  write(sizer, RecordSizer::kSmallUpTo - 1, kNow + 1s);
  EXPECT_EQ(sizer.limit(kNow + 1s), RecordSizer::kSmall);
  write(sizer, 1, kNow + 1s);
  EXPECT_EQ(sizer.limit(kNow + 1s), RecordSizer::kLargest);
}

TEST(RecordSizer, AFixedSizeStaysUntilItIsGivenUp) {
  RecordSizer sizer;
  sizer.fix(5'000);
  EXPECT_EQ(sizer.limit(kNow), 5'000U);
  write(sizer, RecordSizer::kSmallUpTo, kNow);
  EXPECT_EQ(sizer.limit(kNow), 5'000U);
  sizer.fix(0);
  EXPECT_EQ(sizer.limit(kNow), RecordSizer::kLargest);
}

}  // namespace
}  // namespace optimux::server
