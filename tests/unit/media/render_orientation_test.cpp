#include <gtest/gtest.h>

#include <array>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::mean_difference;
using test::pixel;
using test::render;
using test::save;

RenderSpec to(Format format) {
  return {.format = format, .effort = 1};
}

class RenderedUpright : public testing::TestWithParam<int> {};

/// `image` as a camera stores it that is held in the way of `exif`.
ImageHandle stored_as(VipsImage* upright, int exif) {
  VipsImage* turned = nullptr;
  const auto angle = std::array{VIPS_ANGLE_D0,   VIPS_ANGLE_D0,   VIPS_ANGLE_D180, VIPS_ANGLE_D180,
                                VIPS_ANGLE_D270, VIPS_ANGLE_D270, VIPS_ANGLE_D90,  VIPS_ANGLE_D90}[exif - 1];
  EXPECT_EQ(vips_rot(upright, &turned, angle, nullptr), 0);
  ImageHandle stored(turned);
  const bool is_mirrored = exif == 2 || exif == 4 || exif == 5 || exif == 7;
  if (is_mirrored) {
    const auto direction = exif >= 5 ? VIPS_DIRECTION_VERTICAL : VIPS_DIRECTION_HORIZONTAL;
    VipsImage* mirrored = nullptr;
    EXPECT_EQ(vips_flip(stored.get(), &mirrored, direction, nullptr), 0);
    stored.reset(mirrored);
  }
  vips_image_set_int(stored.get(), VIPS_META_ORIENTATION, exif);
  return stored;
}

TEST_P(RenderedUpright, IsMadeUprightAndForgotten) {
  const auto upright = gradient(120, 80);
  for (const char* suffix : {".jpg[Q=100]", ".webp[lossless]", ".tif"}) {
    const auto rendered = render(save(stored_as(upright.get(), GetParam()).get(), suffix), to(Format::kPng));
    ASSERT_TRUE(rendered.report) << suffix;
    const auto image = rendered.image();
    ASSERT_EQ(vips_image_get_width(image.get()), 120) << suffix;
    EXPECT_LT(mean_difference(image.get(), upright.get()), 2) << suffix;
    EXPECT_EQ(vips_image_get_typeof(image.get(), VIPS_META_ORIENTATION), 0U) << suffix;
  }
}

TEST_P(RenderedUpright, CutsTheUprightPicture) {
  const auto upright = gradient(120, 80);
  RenderSpec spec = to(Format::kPng);
  spec.crop = Crop{{20}, {30}, {40}, {10}};
  const auto rendered = render(save(stored_as(upright.get(), GetParam()).get(), ".tif"), spec);
  ASSERT_TRUE(rendered.report);
  const auto image = rendered.image();
  ASSERT_EQ(vips_image_get_width(image.get()), 40);
  EXPECT_EQ(pixel(image.get(), 0, 0, 0), pixel(upright.get(), 20, 30, 0));
  EXPECT_EQ(pixel(image.get(), 39, 9, 1), pixel(upright.get(), 59, 39, 1));
}

INSTANTIATE_TEST_SUITE_P(Exif, RenderedUpright, testing::Range(1, 9));

TEST(RenderOrientation, RotatesAndFlipsOnTopOfExif) {
  RenderSpec spec = to(Format::kPng);
  spec.rotate = 90;
  spec.flip = Flip::kVertical;
  const auto rendered = render(save(gradient(120, 80).get(), ".png"), spec);
  ASSERT_TRUE(rendered.report);
  const auto image = rendered.image();
  ASSERT_EQ(vips_image_get_width(image.get()), 80);
  // Clockwise the top left corner goes to the top right; upside down, to the bottom right.
  EXPECT_EQ(pixel(image.get(), 79, 119, 0), 0);
  EXPECT_EQ(pixel(image.get(), 79, 119, 1), 0);
  EXPECT_EQ(pixel(image.get(), 79, 0, 0), 255);
  EXPECT_EQ(pixel(image.get(), 0, 119, 1), 255);
}

}  // namespace
}  // namespace optimux::media
