#include "media/orientation.hpp"

#include <utility>

namespace optimux::media {

// Exif 2.32, table 6 (Orientation), read as: what stored row 0 and column 0 are.
Orientation Orientation::from_exif(int orientation) {
  switch (orientation) {
    case 2: return {false, true, false};
    case 3: return {false, true, true};
    case 4: return {false, false, true};
    case 5: return {true, false, false};
    case 6: return {true, true, false};
    case 7: return {true, true, true};
    case 8: return {true, false, true};
    default: return {};
  }
}

Orientation Orientation::from_rotation(int degrees) {
  switch (degrees) {
    case 90: return {true, true, false};
    case 180: return {false, true, true};
    case 270: return {true, false, true};
    default: return {};
  }
}

Orientation Orientation::from_flip(Flip flip) {
  return {false, flip == Flip::kHorizontal || flip == Flip::kBoth, flip == Flip::kVertical || flip == Flip::kBoth};
}

// Exchanging the axes after mirroring is mirroring the other axis after the exchange.
Orientation Orientation::then(Orientation next) const {
  const bool x = next.swaps_axes ? mirrors_y : mirrors_x;
  const bool y = next.swaps_axes ? mirrors_x : mirrors_y;
  return {swaps_axes != next.swaps_axes, x != next.mirrors_x, y != next.mirrors_y};
}

Rectangle rectangle_before(const Rectangle& turned, Orientation orientation, int width, int height) {
  Rectangle before = turned;
  if (orientation.mirrors_x) before.left = width - turned.left - turned.width;
  if (orientation.mirrors_y) before.top = height - turned.top - turned.height;
  if (orientation.swaps_axes) {
    std::swap(before.left, before.top);
    std::swap(before.width, before.height);
  }
  return before;
}

}  // namespace optimux::media
