#include "plot/thinning.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace optimux::pool::plot {
namespace {

TEST(Thinning, KeepsFirstLowestHighestAndLastOfAColumn) {
  const std::vector<Point> kept = thin({{1.0, 5}, {1.1, 6}, {1.2, 9}, {1.3, 7}, {1.4, 1}, {1.5, 2}, {1.9, 4}, {2, 4}});
  ASSERT_EQ(kept.size(), 5U);
  EXPECT_EQ(kept[0].y, 5);
  EXPECT_EQ(kept[1].y, 9);
  EXPECT_EQ(kept[2].y, 1);
  EXPECT_EQ(kept[3].y, 4);
  EXPECT_EQ(kept[4].x, 2);
}

TEST(Thinning, LeavesAtMostFourPointsAColumnOfMany) {
  std::vector<Point> pixels;
  pixels.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) pixels.push_back({i / 1000., std::sin(i)});
  EXPECT_LE(thin(pixels).size(), 400U);
}

TEST(Thinning, KeepsGaps) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Point> kept = thin({{1.1, 5}, {1.2, nothing}, {1.3, 5}});
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_TRUE(std::isnan(kept[1].y));
}

}  // namespace
}  // namespace optimux::pool::plot
