#include "media/effects.hpp"

#include <algorithm>

namespace optimux::media {
namespace {

base::Result<ImageHandle> gaussian(VipsImage* image, double sigma) {
  return make_image([&](VipsImage** out) { return vips_gaussblur(image, out, sigma, nullptr); });
}

base::Result<ImageHandle> to_8_bits(VipsImage* image) {
  return make_image([&](VipsImage** out) { return vips_cast(image, out, VIPS_FORMAT_UCHAR, nullptr); });
}

}  // namespace

base::Result<ImageHandle> blur(VipsImage* image, double sigma) {
  if (vips_image_hasalpha(image) == 0) return gaussian(image, sigma);
  auto step = make_image([&](VipsImage** out) { return vips_premultiply(image, out, nullptr); });
  if (step) step = gaussian(step->get(), sigma);
  if (step) step = make_image([&](VipsImage** out) { return vips_unpremultiply(step->get(), out, nullptr); });
  if (step) step = to_8_bits(step->get());
  return step;
}

base::Result<ImageHandle> sharpen(VipsImage* image, double sigma) {
  // libvips takes 0.000001 to 10; wider edges than that are no sharpening any more but local contrast.
  constexpr double kWidestEdge = 10;
  const VipsInterpretation interpretation = vips_image_get_interpretation(image);
  auto step = make_image(
      [&](VipsImage** out) { return vips_sharpen(image, out, "sigma", std::min(sigma, kWidestEdge), nullptr); });
  if (step)
    step = make_image([&](VipsImage** out) { return vips_colourspace(step->get(), out, interpretation, nullptr); });
  if (step) step = to_8_bits(step->get());
  return step;
}

}  // namespace optimux::media
