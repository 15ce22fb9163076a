#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "media/media_limits.hpp"
#include "media/orientation.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// Width and height in pixels.
struct PixelSize {
  int width = 0;
  int height = 0;
  bool operator==(const PixelSize&) const = default;
};

/// What has to be done to a resized picture to give the result's size.
enum class Framing {
  kNone,  ///< It has the size.
  kCut,   ///< A part is cut out, by gravity (`fit=cover`).
  kPad,   ///< Background is added, by gravity (`fit=contain`).
};

/// How one size is made. Sizes are those of one frame, upright and turned as asked for.
struct SizePlan {
  PixelSize resized;  ///< What the cut-out source is scaled to.
  PixelSize result;   ///< What comes out.
  Framing framing = Framing::kNone;
};

/// How all sizes of a spec are made from one source.
struct ResizePlan {
  Rectangle cut;            ///< Of the stored source: the crop, or all of it.
  Orientation orientation;  ///< From stored to result: EXIF, then rotation, then flip.
  std::vector<SizePlan> sizes;
  double reduction =
      1;  ///< Least factor, over all sizes and both axes, by which the cut is made smaller; may be below 1.
};

/// Plans from the stored size of a source and its EXIF orientation.
///
/// - The crop is clipped to the upright picture; percentages are of its sides; edges are rounded to pixels.
/// - The box is `width * dpr` x `height * dpr`; a free axis follows the aspect ratio; with both free the size stays.
/// - `thumb` fills a free axis with the other one.
/// - Without `enlarge` no axis is scaled up: `cover` keeps the box's aspect ratio and makes the box smaller instead;
///   `contain` still fills the box with background.
///
/// Errors: kInvalidParameter for a crop outside the picture; kLimitExceeded for a result over `max_output_side` or,
/// times `frames`, over `max_output_pixels`. Pure.
base::Result<ResizePlan> plan_resize(PixelSize stored, int exif_orientation, int frames, const RenderSpec& spec,
                                     const MediaLimits& limits);

/// By how much a JPEG decoder should shrink while decoding (1, 2, 4 or 8), when `reduction` is wanted in all. It leaves
/// a factor of at least 2 to the resampling filter, as libvips' own thumbnailer does, because the decoder's reduction
/// is a cheap box filter that aliases; `is_fast` leaves nothing where the factor allows.
int choose_jpeg_shrink(double reduction, bool is_fast);

/// By which factor (0 to 1] a WebP decoder should scale while decoding; as above.
double choose_webp_scale(double reduction, bool is_fast);

/// Top left corner of a part of size `inner` of a picture of size `outer`, placed by one of the gravities that are
/// positions (not smart, not entropy). Also where the picture lies on a larger canvas, with the two exchanged.
struct Offset {
  int left = 0;
  int top = 0;
  bool operator==(const Offset&) const = default;
};
Offset place(PixelSize inner, PixelSize outer, const Gravity& gravity);

}  // namespace optimux::media
