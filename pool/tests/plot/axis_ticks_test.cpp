#include "plot/axis_ticks.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace optimux::pool::plot {
namespace {

std::string texts(const Ticks& ticks) {
  std::string all;
  for (const Tick& tick : ticks.ticks) all += (all.empty() ? "" : " ") + tick.text;
  return all;
}

Axis axis(Scale scale) {
  Axis result;
  result.scale = scale;
  return result;
}

TEST(AxisTicks, StandAtRoundNumbersAndReachBeyondTheData) {
  const Ticks ticks = make_ticks(axis(Scale::kLinear), 0, 47, 5);
  EXPECT_EQ(texts(ticks), "0 10 20 30 40 50");
  EXPECT_EQ(ticks.high, 50);
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLinear), 0, 0.7, 4)), "0 0.2 0.4 0.6 0.8");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLinear), -3, 3, 3)), "-4 -2 0 2 4");
}

TEST(AxisTicks, BeginAtZeroUnlessTheDataOrTheAxisSayOtherwise) {
  EXPECT_EQ(make_ticks(axis(Scale::kLinear), 90, 100, 5).low, 0);
  Axis cut = axis(Scale::kLinear);
  cut.low = 90;
  cut.high = 97;
  const Ticks ticks = make_ticks(cut, 90, 100, 5);
  EXPECT_EQ(ticks.low, 90);
  EXPECT_EQ(ticks.high, 97);
  EXPECT_EQ(texts(ticks), "90 92 94 96");
}

TEST(AxisTicks, OnALogarithmicAxisArePowersOfTenAndWhereThereIsRoomTwosAndFives) {
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLog), 1, 2000, 8)), "1 2 5 10 20 50 100 200 500 1000 2000");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLog), 1, 1e6, 6)), "1 10 100 1000 10000 100000 1000000");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLog), 0.003, 0.04, 6)), "0.002 0.005 0.01 0.02 0.05");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLog), 1e-6, 1e6, 4)), "0.000001 0.001 1 1000 1000000");
}

TEST(AxisTicks, ShowARangeEvenWithoutData) {
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLinear), 1, 0, 2)), "0 0.5 1");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLinear), 0, 0, 2)), "0 0.5 1");
  EXPECT_EQ(texts(make_ticks(axis(Scale::kLog), 1, 0, 4)), "1 2 5 10");
}

TEST(AxisTicks, NumbersAreShort) {
  EXPECT_EQ(to_text(0.25, 3), "0.25");
  EXPECT_EQ(to_text(10, 3), "10");
  EXPECT_EQ(to_text(-0.0001, 1), "0");
  EXPECT_EQ(to_text(1e9, 1), "1.00e+09");
}

}  // namespace
}  // namespace optimux::pool::plot
