#include "media/colour.hpp"

namespace optimux::media {
namespace {

bool has_profile(VipsImage* image) {
  return vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
}

bool is_grey(VipsInterpretation interpretation) {
  return interpretation == VIPS_INTERPRETATION_B_W || interpretation == VIPS_INTERPRETATION_GREY16;
}

// At the source's own depth: a profile transform that changes the depth would leave alpha on the old scale.
base::Result<ImageHandle> through_profile(VipsImage* image, const char* fallback) {
  const int depth = vips_image_get_format(image) == VIPS_FORMAT_USHORT ? 16 : 8;
  return make_image([&](VipsImage** out) {
    return vips_icc_transform(image, out, "srgb", "embedded", TRUE, "input_profile", fallback, "intent",
                              VIPS_INTENT_PERCEPTUAL, "depth", depth, nullptr);
  });
}

base::Result<ImageHandle> by_interpretation(VipsImage* image, VipsInterpretation to) {
  return make_image([&](VipsImage** out) { return vips_colourspace(image, out, to, nullptr); });
}

base::Result<ImageHandle> to_8_bits(VipsImage* image) {
  if (vips_image_get_format(image) == VIPS_FORMAT_UCHAR) return share(image);
  return make_image([&](VipsImage** out) { return vips_cast(image, out, VIPS_FORMAT_UCHAR, nullptr); });
}

base::Result<ImageHandle> convert(VipsImage* image) {
  const VipsInterpretation interpretation = vips_image_guess_interpretation(image);
  const VipsInterpretation standard = is_grey(interpretation) ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  const bool is_cmyk = interpretation == VIPS_INTERPRETATION_CMYK;
  if (has_profile(image) || is_cmyk) {
    const auto converted = through_profile(image, is_cmyk ? "cmyk" : "srgb");
    if (converted) return by_interpretation(converted->get(), standard);
  }
  return by_interpretation(image, standard);
}

}  // namespace

base::Result<ImageHandle> to_standard_colour(VipsImage* image) {
  auto converted = convert(image);
  if (converted) converted = to_8_bits(converted->get());
  if (converted) converted = make_image([&](VipsImage** out) { return vips_copy(converted->get(), out, nullptr); });
  if (converted) vips_image_remove(converted->get(), VIPS_META_ICC_NAME);
  return converted;
}

base::Result<ImageHandle> to_three_bands(VipsImage* image) {
  return by_interpretation(image, VIPS_INTERPRETATION_sRGB);
}

}  // namespace optimux::media
