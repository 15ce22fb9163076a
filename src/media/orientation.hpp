#pragma once

#include "media/render_spec.hpp"

namespace optimux::media {

/// A rectangle of whole pixels.
struct Rectangle {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// One of the eight ways to turn and mirror a picture (the dihedral group of the square), as: exchange the axes if
/// `swaps_axes`, then mirror left to right if `mirrors_x`, then top to bottom if `mirrors_y`. A value type, all
/// functions pure.
struct Orientation {
  bool swaps_axes = false;
  bool mirrors_x = false;
  bool mirrors_y = false;

  /// What makes a picture upright that is stored with an EXIF orientation of 1 to 8.
  static Orientation from_exif(int orientation);
  /// A rotation of 0, 90, 180 or 270 degrees clockwise.
  static Orientation from_rotation(int degrees);
  static Orientation from_flip(Flip flip);

  /// This one first, then `next`.
  Orientation then(Orientation next) const;
  bool is_identity() const { return *this == Orientation{}; }
  bool operator==(const Orientation&) const = default;
};

/// Where a rectangle of the turned picture, which is `width` x `height`, lies in the picture before it was turned.
Rectangle rectangle_before(const Rectangle& turned, Orientation orientation, int width, int height);

}  // namespace optimux::media
