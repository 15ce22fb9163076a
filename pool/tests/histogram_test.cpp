#include "optimux/pool/histogram.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

TEST(Histogram, IsEmptyAtFirst) {
  const RecentHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.quantiles().p50, Duration::zero());
  EXPECT_EQ(histogram.quantiles().p99, Duration::zero());
}

TEST(Histogram, QuantilesAreRightToWithinThreePerCent) {
  RecentHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(std::chrono::microseconds(i));
  const Quantiles quantiles = histogram.quantiles();
  EXPECT_NEAR(to_seconds(quantiles.p50), 500e-6, 500e-6 * .032);
  EXPECT_NEAR(to_seconds(quantiles.p95), 950e-6, 950e-6 * .032);
  EXPECT_NEAR(to_seconds(quantiles.p99), 990e-6, 990e-6 * .032);
}

TEST(Histogram, HoldsTheWholeRangeOfDurations) {
  for (const Duration duration : {Duration(0), Duration(1), Duration(15), Duration(16), Duration(31), Duration(32),
                                  Duration(std::chrono::hours(1000)), Duration::max()}) {
    RecentHistogram histogram;
    histogram.add(duration);
    const auto exact = static_cast<double>(duration.count());
    EXPECT_NEAR(static_cast<double>(histogram.quantiles().p50.count()), exact, exact * .032);
  }
  RecentHistogram histogram;
  histogram.add(Duration(-5));
  EXPECT_EQ(histogram.quantiles().p50, Duration::zero());
}

TEST(Histogram, ForgetsAfterTwoRotations) {
  RecentHistogram histogram;
  histogram.add(std::chrono::seconds(1));
  histogram.rotate();
  EXPECT_EQ(histogram.count(), 1U);
  histogram.add(std::chrono::seconds(2));
  histogram.rotate();
  EXPECT_EQ(histogram.count(), 1U);
  EXPECT_GT(histogram.quantiles().p50, std::chrono::milliseconds(1900));
  histogram.rotate();
  EXPECT_EQ(histogram.count(), 0U);
}

}  // namespace
}  // namespace optimux::pool
