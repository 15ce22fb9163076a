#include "advisor/statistics.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::advisor {
namespace {

TEST(Statistics, MedianIsTheMiddle) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(median({3}), 3);
  EXPECT_DOUBLE_EQ(median({9, 1, 4}), 4);
  EXPECT_DOUBLE_EQ(median({9, 1, 4, 6}), 5);
}

TEST(Statistics, QuantileIsTheNearestRank) {
  const std::vector<double> values = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 50);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 90);
  EXPECT_DOUBLE_EQ(quantile(values, 0.99), 100);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, DeviationIgnoresOneDisturbedRound) {
  EXPECT_DOUBLE_EQ(relative_deviation({100, 100, 100, 100, 10}), 0);
  EXPECT_NEAR(relative_deviation({98, 99, 100, 101, 102}), 0.014826, 1e-9);
  EXPECT_DOUBLE_EQ(relative_deviation({100}), 0);
}

}  // namespace
}  // namespace optimux::pool::advisor
