#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::pixel;
using test::render;
using test::save;

std::vector<int> delays_of(VipsImage* image) {
  int* values = nullptr;
  int count = 0;
  if (vips_image_get_typeof(image, "delay") == 0 || vips_image_get_array_int(image, "delay", &values, &count) != 0)
    return {};
  return {values, values + count};
}

int loop_of(VipsImage* image) {
  int loop = -1;
  return vips_image_get_typeof(image, "loop") != 0 && vips_image_get_int(image, "loop", &loop) == 0 ? loop : -1;
}

class AnimationFormats : public testing::TestWithParam<std::pair<const char*, Format>> {};

TEST_P(AnimationFormats, KeepsFramesTimingAndLoops) {
  const auto [suffix, format] = GetParam();
  const auto rendered = render(save(animation(60, 40, 4).get(), suffix), {.sizes = {Size{30, 0}}, .format = format});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_EQ(rendered.head().pages, 4);
  EXPECT_EQ(rendered.head().width, 30);
  EXPECT_EQ(rendered.head().height, 20);
  const auto image = rendered.image();
  EXPECT_EQ(vips_image_get_page_height(image.get()), 20);
  EXPECT_EQ(vips_image_get_height(image.get()), 80);
  EXPECT_EQ(delays_of(image.get()), (std::vector<int>{50, 60, 70, 80}));
  EXPECT_EQ(loop_of(image.get()), 3);
  for (int frame = 0; frame < 4; ++frame) {
    EXPECT_NEAR(pixel(image.get(), 15, frame * 20 + 1, 0), 40 * frame, 12) << frame;
    EXPECT_NEAR(pixel(image.get(), 15, frame * 20 + 18, 1), 250 - 40 * frame, 12) << frame;
  }
}

INSTANTIATE_TEST_SUITE_P(Matrix, AnimationFormats,
                         testing::Values(std::pair{".gif", Format::kGif}, std::pair{".gif", Format::kWebp},
                                         std::pair{".webp[Q=95]", Format::kGif},
                                         std::pair{".webp[Q=95]", Format::kWebp}));

TEST(Animation, TakesTheFirstFrameForAStill) {
  const auto rendered = render(save(animation(60, 40, 4).get(), ".gif"), {.format = Format::kPng});
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(rendered.head().pages, 1);
  EXPECT_EQ(rendered.head().height, 40);
  EXPECT_NEAR(pixel(rendered.image().get(), 5, 5, 0), 0, 6);
}

TEST(Animation, TakesThePageThatIsAskedFor) {
  const auto source = save(animation(60, 40, 4).get(), ".gif");
  const auto still = render(source, {.format = Format::kPng, .page = 2});
  ASSERT_TRUE(still.report);
  EXPECT_NEAR(pixel(still.image().get(), 5, 5, 0), 80, 6);
  const auto part = render(source, {.format = Format::kGif, .page = 1, .frames = 2});
  ASSERT_TRUE(part.report);
  EXPECT_EQ(part.head().pages, 2);
  EXPECT_EQ(delays_of(part.image().get()), (std::vector<int>{60, 70}));
  const auto missing = render(source, {.format = Format::kPng, .page = 4});
  ASSERT_FALSE(missing.report);
  EXPECT_EQ(missing.report.error().code, base::ErrorCode::kInvalidParameter);
}

TEST(Animation, TransformsEveryFrameByItself) {
  RenderSpec spec{.format = Format::kGif};
  spec.rotate = 90;
  spec.crop = Crop{{0}, {0}, {50, true}, {100, true}};
  const auto rendered = render(save(animation(60, 40, 3).get(), ".gif"), spec);
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(rendered.head().width, 40);
  EXPECT_EQ(rendered.head().height, 30);
  const auto image = rendered.image();
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_NEAR(pixel(image.get(), 20, frame * 30 + 15, 0), 40 * frame, 6) << frame;
  }
}

TEST(Animation, MakesSeveralSizes) {
  RenderSpec spec{.sizes = {Size{30, 0}, Size{15, 15}}, .fit = Fit::kCover, .format = Format::kWebp};
  const auto rendered = render(save(animation(60, 40, 3).get(), ".webp[Q=95]"), spec);
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(rendered.head(0).pages, 3);
  EXPECT_EQ(rendered.head(1).pages, 3);
  EXPECT_EQ(rendered.head(1).height, 15);
}

TEST(Animation, RefusesMoreFramesThanTheLimit) {
  const auto executor = make_in_process_executor({.max_frames = 3});
  const auto source = save(animation(20, 10, 4).get(), ".gif");
  const auto rendered = render(source, {.format = Format::kGif}, {}, *executor);
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_TRUE(render(source, {.format = Format::kGif, .frames = 3}, {}, *executor).report);
  EXPECT_TRUE(render(source, {.format = Format::kPng}, {}, *executor).report);
}

TEST(Animation, ReadsThePagesOfATiff) {
  const auto source = save(animation(60, 40, 3).get(), ".tif");
  const auto rendered = render(source, {.format = Format::kPng, .page = 2});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_NEAR(pixel(rendered.image().get(), 5, 5, 0), 80, 2);
}

}  // namespace
}  // namespace optimux::media
