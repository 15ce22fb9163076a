#include "simulator/random.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

// Values of a second implementation, written in Python from the two papers.
TEST(Random, GivesTheNumbersOfThePapers) {
  Random random(1);
  EXPECT_EQ(random.next(), 12966619160104079557U);
  EXPECT_EQ(random.next(), 9600361134598540522U);
  EXPECT_EQ(random.next(), 10590380919521690900U);
}

TEST(Random, UniformNumbersFillTheirRangeEvenly) {
  Random random(2);
  int lower = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double number = random.uniform();
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 1);
    if (number < .25) ++lower;
  }
  EXPECT_NEAR(lower, 25'000, 500);
}

TEST(Random, DistributionsHaveTheirMeansAndSpreads) {
  Random random(3);
  constexpr int kDraws = 200'000;
  double exponential = 0;
  double lognormal = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    exponential += random.exponential(2);
    const double number = random.lognormal(5, .3);
    lognormal += number;
    squares += number * number;
  }
  EXPECT_NEAR(exponential / kDraws, 2, .02);
  const double mean = lognormal / kDraws;
  EXPECT_NEAR(mean, 5, .02);
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean) / mean, .3, .01);
}

TEST(Random, WithoutVariationThereIsNone) {
  Random random(4);
  EXPECT_DOUBLE_EQ(random.lognormal(7, 0), 7);
}

}  // namespace
}  // namespace optimux::pool::simulator
