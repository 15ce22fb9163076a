#include "media/resize_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace optimux::media {
namespace {

// What is left to the resampling filter after a decoder has reduced by a box filter.
constexpr double kFilterReduction = 2;

int to_pixels(double value) {
  constexpr double kMost = std::numeric_limits<int>::max() / 2;
  return static_cast<int>(std::clamp(std::round(value), 1.0, kMost));
}

PixelSize turned(PixelSize size, Orientation orientation) {
  return orientation.swaps_axes ? PixelSize{size.height, size.width} : size;
}

double resolve(const Length& length, int side) {
  return length.is_percent ? length.value * side / 100 : length.value;
}

base::Result<Rectangle> resolve_crop(const std::optional<Crop>& crop, PixelSize picture) {
  if (!crop) return Rectangle{0, 0, picture.width, picture.height};
  const double left = resolve(crop->x, picture.width);
  const double top = resolve(crop->y, picture.height);
  const auto clip = [](double value, int side) {
    return static_cast<int>(std::clamp(std::round(value), 0.0, static_cast<double>(side)));
  };
  Rectangle cut;
  cut.left = clip(left, picture.width);
  cut.top = clip(top, picture.height);
  cut.width = clip(left + resolve(crop->width, picture.width), picture.width) - cut.left;
  cut.height = clip(top + resolve(crop->height, picture.height), picture.height) - cut.top;
  if (cut.width > 0 && cut.height > 0) return cut;
  return base::fail(base::ErrorCode::kInvalidParameter, "crop: nothing is left of the picture of " +
                                                            std::to_string(picture.width) + "x" +
                                                            std::to_string(picture.height) + " pixels");
}

SizePlan scaled(PixelSize picture, double scale) {
  const PixelSize size{to_pixels(picture.width * scale), to_pixels(picture.height * scale)};
  return {size, size, Framing::kNone};
}

// One axis is given, the other follows.
SizePlan plan_free_axis(PixelSize picture, PixelSize box, bool enlarge) {
  const double wanted =
      box.width > 0 ? static_cast<double>(box.width) / picture.width : static_cast<double>(box.height) / picture.height;
  return scaled(picture, enlarge ? wanted : std::min(wanted, 1.0));
}

// The side that touches the box is the box's own, whatever the rounding of the scale.
SizePlan plan_inside(PixelSize picture, PixelSize box, double scale) {
  SizePlan plan = scaled(picture, scale);
  plan.resized.width = std::min(plan.resized.width, std::max(box.width, 1));
  plan.resized.height = std::min(plan.resized.height, std::max(box.height, 1));
  plan.result = plan.resized;
  return plan;
}

SizePlan plan_cover(PixelSize picture, PixelSize box, double scale, bool enlarge) {
  SizePlan plan;
  if (scale > 1 && !enlarge) {
    plan.result = {to_pixels(box.width / scale), to_pixels(box.height / scale)};
    scale = 1;
  } else {
    plan.result = box;
  }
  plan.resized = scaled(picture, scale).resized;
  plan.resized.width = std::max(plan.resized.width, plan.result.width);
  plan.resized.height = std::max(plan.resized.height, plan.result.height);
  plan.framing = plan.resized == plan.result ? Framing::kNone : Framing::kCut;
  return plan;
}

SizePlan plan_contain(PixelSize picture, PixelSize box, double scale) {
  SizePlan plan = plan_inside(picture, box, scale);
  plan.result = box;
  plan.framing = plan.resized == plan.result ? Framing::kNone : Framing::kPad;
  return plan;
}

SizePlan plan_fill(PixelSize picture, PixelSize box, bool enlarge) {
  const PixelSize size =
      enlarge ? box : PixelSize{std::min(box.width, picture.width), std::min(box.height, picture.height)};
  return {size, size, Framing::kNone};
}

PixelSize box_of(Size size, double dpr, bool is_thumb) {
  if (is_thumb && size.width == 0) size.width = size.height;
  if (is_thumb && size.height == 0) size.height = size.width;
  return {size.width > 0 ? to_pixels(size.width * dpr) : 0, size.height > 0 ? to_pixels(size.height * dpr) : 0};
}

SizePlan plan_size(PixelSize picture, PixelSize box, Fit fit, bool enlarge) {
  if (box.width == 0 && box.height == 0) return {picture, picture, Framing::kNone};
  if (box.width == 0 || box.height == 0) return plan_free_axis(picture, box, enlarge);
  const double horizontal = static_cast<double>(box.width) / picture.width;
  const double vertical = static_cast<double>(box.height) / picture.height;
  const double most = enlarge ? std::numeric_limits<double>::max() : 1.0;
  switch (fit) {
    case Fit::kInside: return plan_inside(picture, box, std::min({horizontal, vertical, most}));
    case Fit::kOutside: return scaled(picture, std::min(std::max(horizontal, vertical), most));
    case Fit::kCover: return plan_cover(picture, box, std::max(horizontal, vertical), enlarge);
    case Fit::kContain: return plan_contain(picture, box, std::min({horizontal, vertical, most}));
    case Fit::kFill: return plan_fill(picture, box, enlarge);
  }
  return {picture, picture, Framing::kNone};
}

base::Status check_pixels(PixelSize size, int frames, std::string_view what, const MediaLimits& limits) {
  const std::int64_t pixels = std::int64_t{size.width} * size.height * frames;
  if (pixels <= limits.max_output_pixels) return {};
  return base::fail(base::ErrorCode::kLimitExceeded, std::string(what) + " of " + std::to_string(pixels) +
                                                         " pixels exceeds max_output_pixels " +
                                                         std::to_string(limits.max_output_pixels));
}

base::Status check_output(const SizePlan& plan, int frames, const MediaLimits& limits) {
  if (std::max(plan.result.width, plan.result.height) > limits.max_output_side) {
    return base::fail(base::ErrorCode::kLimitExceeded,
                      "the result of " + std::to_string(plan.result.width) + "x" + std::to_string(plan.result.height) +
                          " exceeds max_output_side " + std::to_string(limits.max_output_side));
  }
  if (const auto fits = check_pixels(plan.result, frames, "the result", limits); !fits) return fits;
  return check_pixels(plan.resized, 1, "the picture before it is cut", limits);
}

double reduction_to(PixelSize picture, PixelSize resized) {
  return std::min(static_cast<double>(picture.width) / resized.width,
                  static_cast<double>(picture.height) / resized.height);
}

}  // namespace

base::Result<ResizePlan> plan_resize(PixelSize stored, int exif_orientation, int frames, const RenderSpec& spec,
                                     const MediaLimits& limits) {
  const Orientation to_upright = Orientation::from_exif(exif_orientation);
  const PixelSize upright = turned(stored, to_upright);
  const auto cut = resolve_crop(spec.crop, upright);
  if (!cut) return base::fail(cut.error());
  const Orientation from_upright = Orientation::from_rotation(spec.rotate).then(Orientation::from_flip(spec.flip));

  ResizePlan plan;
  plan.cut = rectangle_before(*cut, to_upright, upright.width, upright.height);
  plan.orientation = to_upright.then(from_upright);
  plan.reduction = std::numeric_limits<double>::max();
  const PixelSize picture = turned({cut->width, cut->height}, from_upright);
  for (const Size& size : spec.sizes) {
    const SizePlan made = plan_size(picture, box_of(size, spec.dpr, spec.thumb), spec.fit, spec.enlarge);
    if (const auto fits = check_output(made, frames, limits); !fits) return base::fail(fits.error());
    plan.reduction = std::min(plan.reduction, reduction_to(picture, made.resized));
    plan.sizes.push_back(made);
  }
  return plan;
}

int choose_jpeg_shrink(double reduction, bool is_fast) {
  const double available = is_fast ? reduction : reduction / kFilterReduction;
  for (const int shrink : {8, 4, 2}) {
    if (available >= shrink) return shrink;
  }
  return 1;
}

double choose_webp_scale(double reduction, bool is_fast) {
  const double available = is_fast ? reduction : reduction / kFilterReduction;
  return available > 1 ? 1 / available : 1;
}

namespace {

// The positions that a gravity names, as parts of the room that is left over: 0 left or top, 1 right or bottom.
Offset spread(PixelSize inner, PixelSize outer, double x, double y) {
  return {static_cast<int>(std::lround((outer.width - inner.width) * x)),
          static_cast<int>(std::lround((outer.height - inner.height) * y))};
}

// The point stays in the middle as far as the edges let it.
int around(double point, int inner, int outer) {
  const double left = point * outer - inner / 2.0;
  return static_cast<int>(std::lround(std::clamp(left, 0.0, static_cast<double>(outer - inner))));
}

}  // namespace

Offset place(PixelSize inner, PixelSize outer, const Gravity& gravity) {
  switch (gravity.kind) {
    case GravityKind::kNorth: return spread(inner, outer, 0.5, 0);
    case GravityKind::kNorthEast: return spread(inner, outer, 1, 0);
    case GravityKind::kEast: return spread(inner, outer, 1, 0.5);
    case GravityKind::kSouthEast: return spread(inner, outer, 1, 1);
    case GravityKind::kSouth: return spread(inner, outer, 0.5, 1);
    case GravityKind::kSouthWest: return spread(inner, outer, 0, 1);
    case GravityKind::kWest: return spread(inner, outer, 0, 0.5);
    case GravityKind::kNorthWest: return spread(inner, outer, 0, 0);
    case GravityKind::kFocalPoint:
      return {around(gravity.x, inner.width, outer.width), around(gravity.y, inner.height, outer.height)};
    case GravityKind::kCenter:
    case GravityKind::kSmart:
    case GravityKind::kEntropy: break;
  }
  return spread(inner, outer, 0.5, 0.5);
}

}  // namespace optimux::media
