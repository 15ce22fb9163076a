#include "media/orientation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace optimux::media {
namespace {

struct Point {
  int x = 0;
  int y = 0;
  bool operator==(const Point&) const = default;
};

/// Where a pixel of a `width` x `height` picture goes, by the definition of the struct.
Point moved(Point point, Orientation orientation, int width, int height) {
  if (orientation.swaps_axes) {
    std::swap(point.x, point.y);
    std::swap(width, height);
  }
  if (orientation.mirrors_x) point.x = width - 1 - point.x;
  if (orientation.mirrors_y) point.y = height - 1 - point.y;
  return point;
}

std::vector<Orientation> all() {
  std::vector<Orientation> orientations;
  for (int exif = 1; exif <= 8; ++exif) orientations.push_back(Orientation::from_exif(exif));
  return orientations;
}

// Exif 2.32, table 6: where the stored top left pixel is seen in a picture of 3 x 2 stored pixels.
TEST(Orientation, PutsTheStoredOriginWhereExifSays) {
  const std::array<Point, 8> expected = {{{0, 0}, {2, 0}, {2, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 2}, {0, 2}}};
  for (int exif = 1; exif <= 8; ++exif) {
    EXPECT_EQ(moved({0, 0}, Orientation::from_exif(exif), 3, 2), expected[static_cast<std::size_t>(exif - 1)]) << exif;
  }
}

TEST(Orientation, HasEightDifferentOnes) {
  for (std::size_t i = 0; i < all().size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(all()[i] == all()[j]) << i << " " << j;
  }
}

TEST(Orientation, IgnoresExifValuesOutOfRange) {
  for (const int exif : {-1, 0, 9, 255}) EXPECT_TRUE(Orientation::from_exif(exif).is_identity()) << exif;
}

TEST(Orientation, RotatesClockwise) {
  EXPECT_EQ(moved({0, 0}, Orientation::from_rotation(90), 3, 2), (Point{1, 0}));
  EXPECT_EQ(moved({0, 0}, Orientation::from_rotation(180), 3, 2), (Point{2, 1}));
  EXPECT_EQ(moved({0, 0}, Orientation::from_rotation(270), 3, 2), (Point{0, 2}));
  EXPECT_TRUE(Orientation::from_rotation(0).is_identity());
}

TEST(Orientation, FlipsTheAxisThatIsNamed) {
  EXPECT_EQ(moved({0, 0}, Orientation::from_flip(Flip::kHorizontal), 3, 2), (Point{2, 0}));
  EXPECT_EQ(moved({0, 0}, Orientation::from_flip(Flip::kVertical), 3, 2), (Point{0, 1}));
  EXPECT_EQ(moved({0, 0}, Orientation::from_flip(Flip::kBoth), 3, 2), (Point{2, 1}));
  EXPECT_TRUE(Orientation::from_flip(Flip::kNone).is_identity());
}

TEST(Orientation, ComposesLikeMovingTwice) {
  constexpr int kWidth = 5;
  constexpr int kHeight = 3;
  for (const Orientation first : all()) {
    for (const Orientation second : all()) {
      const Point once = moved({1, 2}, first, kWidth, kHeight);
      const int width = first.swaps_axes ? kHeight : kWidth;
      const int height = first.swaps_axes ? kWidth : kHeight;
      EXPECT_EQ(moved({1, 2}, first.then(second), kWidth, kHeight), moved(once, second, width, height));
    }
  }
}

TEST(Orientation, FindsARectangleBeforeTheTurn) {
  constexpr int kWidth = 7;
  constexpr int kHeight = 5;
  const Rectangle turned{1, 0, 2, 3};
  for (const Orientation orientation : all()) {
    const int seen_width = orientation.swaps_axes ? kHeight : kWidth;
    const int seen_height = orientation.swaps_axes ? kWidth : kHeight;
    const Rectangle before = rectangle_before(turned, orientation, seen_width, seen_height);
    int inside = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const Point seen = moved({x, y}, orientation, kWidth, kHeight);
        const bool is_seen_inside = seen.x >= turned.left && seen.x < turned.left + turned.width &&
                                    seen.y >= turned.top && seen.y < turned.top + turned.height;
        const bool is_inside =
            x >= before.left && x < before.left + before.width && y >= before.top && y < before.top + before.height;
        EXPECT_EQ(is_seen_inside, is_inside);
        inside += is_inside ? 1 : 0;
      }
    }
    EXPECT_EQ(inside, turned.width * turned.height);
  }
}

}  // namespace
}  // namespace optimux::media
