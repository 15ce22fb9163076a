#include "media/colour.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::pixel;
using test::render;
using test::save;

ImageHandle made(const std::function<int(VipsImage**)>& call) {
  VipsImage* image = nullptr;
  EXPECT_EQ(call(&image), 0) << vips_error_buffer();
  return ImageHandle(image);
}

/// One colour, given in sRGB, in a picture whose numbers belong to `profile`, which is embedded.
SourceBuffer in_profile(std::array<double, 3> srgb, const char* profile, const std::string& suffix) {
  const auto black = made([](VipsImage** out) { return vips_black(out, 32, 32, "bands", 3, nullptr); });
  const std::array<double, 3> one = {1, 1, 1};
  const auto plain = made([&](VipsImage** out) {
    return vips_linear(black.get(), out, one.data(), srgb.data(), 3, "uchar", TRUE, nullptr);
  });
  plain->Type = VIPS_INTERPRETATION_sRGB;
  const auto converted = made([&](VipsImage** out) {
    return vips_icc_transform(plain.get(), out, profile, "input_profile", "srgb", "depth", 8, nullptr);
  });
  return save(converted.get(), suffix);
}

void expect_colour(const SourceBuffer& source, std::array<double, 3> expected, double tolerance) {
  const auto rendered = render(source, {.format = Format::kPng});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  const auto image = rendered.image();
  for (int band = 0; band < 3; ++band) {
    EXPECT_NEAR(pixel(image.get(), 16, 16, band), expected[static_cast<std::size_t>(band)], tolerance) << band;
  }
  EXPECT_EQ(vips_image_get_typeof(image.get(), VIPS_META_ICC_NAME), 0U);
}

TEST(Colour, GoesThroughTheEmbeddedProfile) {
  expect_colour(in_profile({180, 90, 60}, "p3", ".png"), {180, 90, 60}, 2);
  expect_colour(in_profile({100, 160, 120}, "p3", ".jpg[Q=98]"), {100, 160, 120}, 4);
  expect_colour(in_profile({100, 160, 120}, "p3", ".webp[lossless]"), {100, 160, 120}, 2);
}

TEST(Colour, ConvertsCmyk) {
  expect_colour(in_profile({160, 100, 90}, "cmyk", ".jpg[Q=98]"), {160, 100, 90}, 8);
}

TEST(Colour, ConvertsCmykWithoutProfile) {
  const auto converted = in_profile({160, 100, 90}, "cmyk", ".tif");
  const auto image = test::read_back(test::text_of(converted), Format::kTiff);
  vips_image_remove(image.get(), VIPS_META_ICC_NAME);
  expect_colour(save(image.get(), ".jpg[Q=98]"), {160, 100, 90}, 8);
}

TEST(Colour, ConvertsLabTiff) {
  const auto lab = made(
      [](VipsImage** out) { return vips_colourspace(gradient(32, 32).get(), out, VIPS_INTERPRETATION_LAB, nullptr); });
  const auto rendered = render(save(lab.get(), ".tif"), {.format = Format::kPng});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_LT(test::mean_difference(rendered.image().get(), gradient(32, 32).get()), 2);
}

TEST(Colour, Reduces16BitsTo8) {
  const auto deep = made([](VipsImage** out) {
    return vips_colourspace(gradient(64, 48).get(), out, VIPS_INTERPRETATION_RGB16, nullptr);
  });
  for (const char* suffix : {".png", ".tif"}) {
    const auto rendered = render(save(deep.get(), suffix), {.format = Format::kPng});
    ASSERT_TRUE(rendered.report) << suffix;
    EXPECT_EQ(vips_image_get_format(rendered.image().get()), VIPS_FORMAT_UCHAR);
    EXPECT_LT(test::mean_difference(rendered.image().get(), gradient(64, 48).get()), 1) << suffix;
  }
}

TEST(Colour, KeepsAlphaOnItsScaleWith16BitsAndAProfile) {
  const auto deep = made([](VipsImage** out) {
    return vips_colourspace(test::gradient_with_alpha(64, 48).get(), out, VIPS_INTERPRETATION_RGB16, nullptr);
  });
  const auto rendered = render(save(deep.get(), ".png[profile=srgb]"), {.format = Format::kPng});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_LT(test::mean_difference(rendered.image().get(), test::gradient_with_alpha(64, 48).get()), 1);
}

TEST(Colour, KeepsGreyGreyWhereTheFormatCan) {
  const auto grey = made(
      [](VipsImage** out) { return vips_colourspace(gradient(64, 48).get(), out, VIPS_INTERPRETATION_B_W, nullptr); });
  const auto source = save(grey.get(), ".png");
  EXPECT_EQ(vips_image_get_bands(render(source, {.format = Format::kPng}).image().get()), 1);
  EXPECT_EQ(vips_image_get_bands(render(source, {.format = Format::kJpeg}).image().get()), 1);
  const auto webp = render(source, {.format = Format::kWebp, .quality = 95});
  ASSERT_TRUE(webp.report);
  EXPECT_NEAR(pixel(webp.image().get(), 32, 24, 2), pixel(grey.get(), 32, 24, 0), 4);
}

TEST(Colour, MixesAColouredBackgroundUnderGrey) {
  const auto grey = made(
      [](VipsImage** out) { return vips_colourspace(gradient(40, 20).get(), out, VIPS_INTERPRETATION_B_W, nullptr); });
  RenderSpec spec{
      .sizes = {Size{20, 20}}, .fit = Fit::kContain, .format = Format::kPng, .background = Colour{255, 0, 0}};
  const auto rendered = render(save(grey.get(), ".png"), spec);
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(pixel(rendered.image().get(), 10, 0, 0), 255);
  EXPECT_EQ(pixel(rendered.image().get(), 10, 0, 1), 0);
}

TEST(Colour, IgnoresAProfileThatIsNone) {
  const auto image = gradient(32, 32);
  vips_image_set_blob_copy(image.get(), VIPS_META_ICC_NAME, "not a profile", 13);
  const auto rendered = render(save(image.get(), ".webp[lossless]"), {.format = Format::kPng});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_LT(test::mean_difference(rendered.image().get(), image.get()), 0.01);
}

}  // namespace
}  // namespace optimux::media
