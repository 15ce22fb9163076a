#include "reference.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace optimux::media::test {
namespace {

/// Replaces an image by what a call of libvips makes of it.
void become(ImageHandle& image, const std::function<int(VipsImage*, VipsImage**)>& call) {
  VipsImage* made = nullptr;
  if (call(image.get(), &made) != 0) {
    ADD_FAILURE() << vips_error_buffer();
    vips_error_clear();
    return;
  }
  image.reset(made);
}

void keep_first_frame(ImageHandle& image) {
  const int height = vips_image_get_page_height(image.get());
  become(image,
         [height](VipsImage* in, VipsImage** out) { return vips_crop(in, out, 0, 0, in->Xsize, height, nullptr); });
}

void to_16_bit_srgb(ImageHandle& image) {
  const bool has_profile = vips_image_get_typeof(image.get(), VIPS_META_ICC_NAME) != 0;
  const bool is_cmyk = image->Type == VIPS_INTERPRETATION_CMYK;
  // libvips leaves alpha on its old scale where a profile transform changes the depth.
  const bool keeps_depth = vips_image_hasalpha(image.get()) != 0 && image->BandFmt == VIPS_FORMAT_UCHAR;
  if (has_profile || is_cmyk) {
    become(image, [&](VipsImage* in, VipsImage** out) {
      return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "input_profile", is_cmyk ? "cmyk" : "srgb", "intent",
                                VIPS_INTENT_PERCEPTUAL, "depth", keeps_depth ? 8 : 16, nullptr);
    });
  }
  become(image,
         [](VipsImage* in, VipsImage** out) { return vips_colourspace(in, out, VIPS_INTERPRETATION_RGB16, nullptr); });
}

void scale_in_float(ImageHandle& image, int width, int height) {
  become(image, [](VipsImage* in, VipsImage** out) { return vips_linear1(in, out, 1.0 / 257, 0, nullptr); });
  become(image, [=](VipsImage* in, VipsImage** out) {
    return vips_resize(in, out, static_cast<double>(width) / in->Xsize, "vscale",
                       static_cast<double>(height) / in->Ysize, nullptr);
  });
}

}  // namespace

ImageHandle reference(const SourceBuffer& source, Format format, int width, int height) {
  ImageHandle image = read_back(text_of(source), format);
  keep_first_frame(image);
  become(image, [](VipsImage* in, VipsImage** out) { return vips_autorot(in, out, nullptr); });
  to_16_bit_srgb(image);
  if (vips_image_hasalpha(image.get()) != 0) {
    VipsArrayDouble* white = vips_array_double_newv(1, 65535.0);
    become(image, [white](VipsImage* in, VipsImage** out) {
      return vips_flatten(in, out, "background", white, "max_alpha", 65535.0, nullptr);
    });
    vips_area_unref(VIPS_AREA(white));
  }
  scale_in_float(image, width, height);
  return image;
}

}  // namespace optimux::media::test
