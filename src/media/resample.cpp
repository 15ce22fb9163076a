#include "media/resample.hpp"

namespace optimux::media {
namespace {

base::Result<ImageHandle> scale_to(VipsImage* image, PixelSize size) {
  const double horizontal = static_cast<double>(size.width) / vips_image_get_width(image);
  const double vertical = static_cast<double>(size.height) / vips_image_get_height(image);
  return make_image([&](VipsImage** out) {
    return vips_resize(image, out, horizontal, "vscale", vertical, "kernel", VIPS_KERNEL_LANCZOS3, nullptr);
  });
}

// Back in the image's own band format between the steps: integer resampling is several times faster than floating
// point, and what premultiplied integers lose is colour that alpha makes all but invisible.
base::Result<ImageHandle> scale_with_alpha(VipsImage* image, PixelSize size) {
  const VipsBandFormat format = vips_image_get_format(image);
  const auto cast = [format](VipsImage* from) {
    return make_image([&](VipsImage** out) { return vips_cast(from, out, format, nullptr); });
  };
  auto step = make_image([&](VipsImage** out) { return vips_premultiply(image, out, nullptr); });
  if (step) step = cast(step->get());
  if (step) step = scale_to(step->get(), size);
  if (step) step = make_image([&](VipsImage** out) { return vips_unpremultiply(step->get(), out, nullptr); });
  if (step) step = cast(step->get());
  return step;
}

}  // namespace

base::Result<ImageHandle> resample(VipsImage* image, PixelSize size) {
  if (vips_image_get_width(image) == size.width && vips_image_get_height(image) == size.height) return share(image);
  return vips_image_hasalpha(image) != 0 ? scale_with_alpha(image, size) : scale_to(image, size);
}

}  // namespace optimux::media
