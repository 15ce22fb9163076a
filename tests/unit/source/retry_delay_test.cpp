#include "source/retry_delay.hpp"

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

TEST(RetryDelayTest, DoublesUpToItsLongest) {
  const RetryDelays delays{.first = milliseconds(100), .longest = milliseconds(350)};
  EXPECT_EQ(retry_delay(delays, 1, 0.5), milliseconds(50));
  EXPECT_EQ(retry_delay(delays, 2, 0.5), milliseconds(100));
  EXPECT_EQ(retry_delay(delays, 3, 0.5), milliseconds(175));
  EXPECT_EQ(retry_delay(delays, 1'000'000, 0.5), milliseconds(175));
}

TEST(RetryDelayTest, IsDrawnFromZeroOn) {
  const RetryDelays delays{.first = milliseconds(100), .longest = milliseconds(100)};
  EXPECT_EQ(retry_delay(delays, 1, 0.0), milliseconds(0));
  EXPECT_EQ(retry_delay(delays, 1, 0.999), milliseconds(99));
  EXPECT_EQ(retry_delay({.first = milliseconds(0), .longest = milliseconds(10)}, 5, 0.9), milliseconds(0));
}

}  // namespace
}  // namespace optimux::source
