#include "media/decode.hpp"

#include <gtest/gtest.h>

#include "media/resize_plan.hpp"
#include "test_image.hpp"

namespace optimux::media {
namespace {

constexpr int kSide = 64;

struct Scaling {
  const char* suffix;
  Format format;
  DecodeOptions options;
};

const Scaling kScalings[] = {
    {".jpg", Format::kJpeg, {}},
    {".jpg", Format::kJpeg, {.jpeg_shrink = 8}},
    {".webp", Format::kWebp, {}},
    {".webp", Format::kWebp, {.webp_scale = 0.125}},
};

// The size of what is opened with a header that tells `width` and `height`.
base::Result<PixelSize> size_with_header(const Scaling& scaling, std::int64_t width, std::int64_t height) {
  const auto source = test::save(test::gradient(kSide, kSide).get(), scaling.suffix);
  const OperationControl control;
  SourceHeader header;
  header.format = scaling.format;
  header.width = width;
  header.height = height;
  const auto opened = open_source(source, header, scaling.options, control);
  if (!opened) return base::fail(opened.error());
  return PixelSize{vips_image_get_width(opened->get()), vips_image_get_height(opened->get())};
}

TEST(OpenSource, ScalesWhatHasTheSizeOfItsHeader) {
  for (const Scaling& scaling : kScalings) {
    const bool is_scaled = scaling.options.jpeg_shrink != 1 || scaling.options.webp_scale < 1;
    const int side = is_scaled ? kSide / 8 : kSide;
    EXPECT_EQ(size_with_header(scaling, kSide, kSide), (PixelSize{side, side})) << scaling.suffix;
  }
}

// The limits were checked with the header.
TEST(OpenSource, RefusesAnotherSizeThanTheHeaders) {
  for (const Scaling& scaling : kScalings) {
    for (const auto& opened :
         {size_with_header(scaling, kSide / 8, kSide), size_with_header(scaling, kSide, kSide / 8),
          size_with_header(scaling, kSide * 100, kSide * 100), size_with_header(scaling, kSide + 1, kSide)}) {
      ASSERT_FALSE(opened) << scaling.suffix;
      EXPECT_EQ(opened.error().code, base::ErrorCode::kBrokenMedia);
    }
  }
}

}  // namespace
}  // namespace optimux::media
