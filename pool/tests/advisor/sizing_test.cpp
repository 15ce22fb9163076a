#include "advisor/sizing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::pool::advisor {
namespace {

Sizing sized(const Demand& demand) {
  auto sizing = size_for(demand);
  EXPECT_TRUE(sizing) << sizing.error().field << ' ' << sizing.error().message;
  return sizing ? *sizing : Sizing{};
}

std::string refused_field(const Demand& demand) {
  const auto sizing = size_for(demand);
  return sizing ? "" : sizing.error().field;
}

TEST(Sizing, GivesTheKnownValues) {
  EXPECT_EQ(sized({.rate = 2000, .latency = 0.05, .headroom = 1.5}).workers, 150);
  EXPECT_EQ(sized({.rate = 2000, .latency = 0.05, .headroom = 1.5, .limit = 64}).workers, 64);
  EXPECT_EQ(sized({.rate = 300, .latency = 0.2, .headroom = 1.25}).workers, 75);
}

TEST(Sizing, SaysWhatALimitCosts) {
  const Sizing sizing = sized({.rate = 2000, .latency = 0.05, .headroom = 1.5, .limit = 64});
  EXPECT_TRUE(sizing.is_limited);
  EXPECT_EQ(sizing.wanted, 150);
  EXPECT_DOUBLE_EQ(sizing.reachable_rate, 1280);
  EXPECT_FALSE(sizing.is_reachable);
}

TEST(Sizing, ALimitThatCostsOnlyHeadroomLeavesTheRateReachable) {
  const Sizing sizing = sized({.rate = 2000, .latency = 0.05, .headroom = 1.5, .limit = 120});
  EXPECT_EQ(sizing.workers, 120);
  EXPECT_TRUE(sizing.is_limited);
  EXPECT_TRUE(sizing.is_reachable);
}

TEST(Sizing, DoesNotRoundUpWhatIsWholeButForTheLastBit) {
  EXPECT_EQ(sized({.rate = 30, .latency = 0.1}).workers, 3);
  EXPECT_EQ(sized({.rate = 31, .latency = 0.1}).workers, 4);
}

TEST(Sizing, NeedsAtLeastOneWorker) {
  EXPECT_EQ(sized({.rate = 0.001, .latency = 0.001}).workers, 1);
}

TEST(Sizing, NamesTheFieldThatIsOutOfRange) {
  EXPECT_EQ(refused_field({.rate = 0, .latency = 1}), "rate");
  EXPECT_EQ(refused_field({.rate = -1, .latency = 1}), "rate");
  EXPECT_EQ(refused_field({.rate = 1, .latency = 0}), "latency");
  EXPECT_EQ(refused_field({.rate = 1, .latency = 1, .headroom = 0.9}), "headroom");
  EXPECT_EQ(refused_field({.rate = 1, .latency = 1, .headroom = 1, .limit = -1}), "limit");
  EXPECT_EQ(refused_field({.rate = 1e6, .latency = 2}), "rate");
}

RC_GTEST_PROP(Sizing, IsTheSmallestNumberThatSustainsTheRateWithHeadroom, ()) {
  const double rate = *rc::gen::inRange(1, 100'000) / 10.0;
  const double latency = *rc::gen::inRange(1, 50'000) / 1e6;
  const double headroom = *rc::gen::inRange(100, 300) / 100.0;
  const Sizing sizing = sized({.rate = rate, .latency = latency, .headroom = headroom});
  const double wanted = rate * latency * headroom;
  RC_ASSERT(sizing.workers >= wanted * (1 - 1e-9));
  RC_ASSERT(sizing.workers == 1 || sizing.workers - 1 < wanted);
  RC_ASSERT(sizing.is_reachable);
}

RC_GTEST_PROP(Sizing, NeverExceedsTheLimit, ()) {
  const int limit = *rc::gen::inRange(1, 200);
  const Sizing sizing = sized({.rate = *rc::gen::inRange(1, 5'000) * 1.0, .latency = 0.05, .limit = limit});
  RC_ASSERT(sizing.workers <= limit);
  RC_ASSERT(sizing.is_limited == (sizing.wanted > limit));
}

}  // namespace
}  // namespace optimux::pool::advisor
