#include "media/framing.hpp"

#include <array>
#include <memory>
#include <span>

#include "media/colour.hpp"

namespace optimux::media {
namespace {

struct AreaUnref {
  void operator()(VipsArrayDouble* array) const { vips_area_unref(VIPS_AREA(array)); }
};
using DoubleArray = std::unique_ptr<VipsArrayDouble, AreaUnref>;

DoubleArray new_array(std::span<const double> values) {
  return DoubleArray(vips_array_double_new(values.data(), static_cast<int>(values.size())));
}

bool is_grey(const Colour& colour) {
  return colour.red == colour.green && colour.green == colour.blue;
}

/// A grey picture gets three bands if the colour to be mixed in needs them.
base::Result<ImageHandle> make_room_for(VipsImage* image, const Colour& colour) {
  const bool needs_bands = vips_image_get_bands(image) < 3 && !is_grey(colour);
  return needs_bands ? to_three_bands(image) : share(image);
}

base::Result<ImageHandle> rotate(VipsImage* image, VipsAngle angle) {
  return make_image([&](VipsImage** out) { return vips_rot(image, out, angle, nullptr); });
}

base::Result<ImageHandle> mirror(VipsImage* image, VipsDirection direction) {
  return make_image([&](VipsImage** out) { return vips_flip(image, out, direction, nullptr); });
}

}  // namespace

// A rotation by 90 degrees exchanges the axes and mirrors left to right, one by 270 top to bottom.
base::Result<ImageHandle> reorient(VipsImage* image, Orientation orientation) {
  const auto [swaps, x, y] = orientation;
  if (swaps) {
    auto rotated = rotate(image, x ? VIPS_ANGLE_D90 : VIPS_ANGLE_D270);
    if (!rotated || x != y) return rotated;
    // {swap, x, y} is a rotation by 90 and then top to bottom; {swap} alone one by 270 and then top to bottom.
    return mirror(rotated->get(), VIPS_DIRECTION_VERTICAL);
  }
  if (x && y) return rotate(image, VIPS_ANGLE_D180);
  if (x) return mirror(image, VIPS_DIRECTION_HORIZONTAL);
  if (y) return mirror(image, VIPS_DIRECTION_VERTICAL);
  return share(image);
}

base::Result<ImageHandle> cut_out(VipsImage* image, const Rectangle& area) {
  if (area == Rectangle{0, 0, vips_image_get_width(image), vips_image_get_height(image)}) return share(image);
  return make_image([&](VipsImage** out) {
    return vips_extract_area(image, out, area.left, area.top, area.width, area.height, nullptr);
  });
}

base::Result<Offset> find_cut(VipsImage* image, PixelSize inner, const Gravity& gravity) {
  const PixelSize outer{vips_image_get_width(image), vips_image_get_height(image)};
  const bool is_smart = gravity.kind == GravityKind::kSmart;
  if (!is_smart && gravity.kind != GravityKind::kEntropy) return place(inner, outer, gravity);
  const auto found = make_image([&](VipsImage** out) {
    return vips_smartcrop(image, out, inner.width, inner.height, "interesting",
                          is_smart ? VIPS_INTERESTING_ATTENTION : VIPS_INTERESTING_ENTROPY, nullptr);
  });
  if (!found) return base::fail(found.error());
  // libvips keeps in a cut-out picture where its old origin lies.
  return Offset{-vips_image_get_xoffset(found->get()), -vips_image_get_yoffset(found->get())};
}

base::Result<ImageHandle> pad(VipsImage* image, PixelSize size, const Gravity& gravity,
                              const std::optional<Colour>& background) {
  const Colour colour = background.value_or(Colour{});
  const auto base = make_room_for(image, colour);
  if (!base) return base::fail(base.error());
  const PixelSize inner{vips_image_get_width(image), vips_image_get_height(image)};
  const Offset at = place(inner, size, gravity);
  const bool has_alpha = vips_image_hasalpha(base->get()) != 0;
  const double opacity = has_alpha && !background ? 0 : 255;
  const std::array<double, 4> rgba = {double(colour.red), double(colour.green), double(colour.blue), opacity};
  const std::array<double, 2> grey = {double(colour.red), opacity};
  const auto bands = static_cast<std::size_t>(vips_image_get_bands(base->get()));
  const auto values =
      bands < 3 ? std::span<const double>(grey).first(bands) : std::span<const double>(rgba).first(bands);
  const DoubleArray canvas = new_array(values);
  return make_image([&](VipsImage** out) {
    return vips_embed(base->get(), out, at.left, at.top, size.width, size.height, "extend", VIPS_EXTEND_BACKGROUND,
                      "background", canvas.get(), nullptr);
  });
}

base::Result<ImageHandle> flatten(VipsImage* image, const Colour& background) {
  if (vips_image_hasalpha(image) == 0) return share(image);
  const auto base = make_room_for(image, background);
  if (!base) return base::fail(base.error());
  const std::array<double, 3> rgb = {double(background.red), double(background.green), double(background.blue)};
  const std::size_t bands = vips_image_get_bands(base->get()) < 3 ? 1 : 3;
  const DoubleArray under = new_array(std::span<const double>(rgb).first(bands));
  return make_image(
      [&](VipsImage** out) { return vips_flatten(base->get(), out, "background", under.get(), nullptr); });
}

}  // namespace optimux::media
