#include "media/resize_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace optimux::media {
namespace {

ResizePlan plan(PixelSize stored, const RenderSpec& spec, int exif = 1) {
  const auto planned = plan_resize(stored, exif, 1, spec, MediaLimits{});
  EXPECT_TRUE(planned) << planned.error().detail;
  return planned.value_or(ResizePlan{});
}

SizePlan only(PixelSize stored, const RenderSpec& spec, int exif = 1) {
  return plan(stored, spec, exif).sizes.at(0);
}

RenderSpec box(int width, int height, Fit fit = Fit::kInside, bool enlarge = false) {
  return {.sizes = {Size{width, height}}, .fit = fit, .enlarge = enlarge};
}

struct FitCase {
  std::string name;
  PixelSize source;
  RenderSpec spec;
  PixelSize resized;
  PixelSize result;
};

class ResizePlanFits : public testing::TestWithParam<FitCase> {};

TEST_P(ResizePlanFits, AsCssSays) {
  const SizePlan made = only(GetParam().source, GetParam().spec);
  EXPECT_EQ(made.resized, GetParam().resized);
  EXPECT_EQ(made.result, GetParam().result);
  EXPECT_EQ(made.framing == Framing::kNone, made.resized == made.result);
}

INSTANTIATE_TEST_SUITE_P(
    Boxes, ResizePlanFits,
    testing::Values(FitCase{"as_is", {400, 300}, box(0, 0), {400, 300}, {400, 300}},
                    FitCase{"free_height", {400, 300}, box(200, 0), {200, 150}, {200, 150}},
                    FitCase{"free_width", {400, 300}, box(0, 150), {200, 150}, {200, 150}},
                    FitCase{"free_axis_rounds", {2448, 3264}, box(299, 0), {299, 399}, {299, 399}},
                    FitCase{"free_axis_keeps_source", {400, 300}, box(800, 0), {400, 300}, {400, 300}},
                    FitCase{"free_axis_enlarges", {400, 300}, box(800, 0, Fit::kInside, true), {800, 600}, {800, 600}},
                    FitCase{"inside", {400, 300}, box(100, 100), {100, 75}, {100, 75}},
                    FitCase{"inside_tall", {300, 400}, box(100, 100), {75, 100}, {75, 100}},
                    FitCase{"inside_keeps_source", {40, 30}, box(100, 100), {40, 30}, {40, 30}},
                    FitCase{"inside_enlarges", {40, 30}, box(100, 100, Fit::kInside, true), {100, 75}, {100, 75}},
                    FitCase{"outside", {400, 300}, box(100, 100, Fit::kOutside), {133, 100}, {133, 100}},
                    FitCase{"outside_keeps_source", {40, 30}, box(100, 100, Fit::kOutside), {40, 30}, {40, 30}},
                    FitCase{"cover", {400, 300}, box(100, 100, Fit::kCover), {133, 100}, {100, 100}},
                    FitCase{"cover_tall", {300, 400}, box(100, 100, Fit::kCover), {100, 133}, {100, 100}},
                    FitCase{"cover_same_shape", {400, 300}, box(200, 150, Fit::kCover), {200, 150}, {200, 150}},
                    FitCase{
                        "cover_small_source_keeps_shape", {50, 100}, box(200, 100, Fit::kCover), {50, 100}, {50, 25}},
                    FitCase{"cover_enlarges", {50, 100}, box(200, 100, Fit::kCover, true), {200, 400}, {200, 100}},
                    FitCase{"contain", {400, 300}, box(100, 100, Fit::kContain), {100, 75}, {100, 100}},
                    FitCase{"contain_small_source", {40, 30}, box(100, 100, Fit::kContain), {40, 30}, {100, 100}},
                    FitCase{"contain_enlarges", {40, 30}, box(100, 100, Fit::kContain, true), {100, 75}, {100, 100}},
                    FitCase{"fill", {400, 300}, box(100, 200, Fit::kFill), {100, 200}, {100, 200}},
                    FitCase{"fill_small_source", {40, 300}, box(100, 200, Fit::kFill), {40, 200}, {40, 200}},
                    FitCase{"fill_enlarges", {40, 30}, box(100, 200, Fit::kFill, true), {100, 200}, {100, 200}},
                    FitCase{"free_axis_ignores_fit", {400, 300}, box(200, 0, Fit::kCover), {200, 150}, {200, 150}},
                    FitCase{"never_below_one_pixel", {10000, 10}, box(10, 0), {10, 1}, {10, 1}},
                    FitCase{"inside_never_below_one_pixel", {10, 10000}, box(10, 10), {1, 10}, {1, 10}}),
    [](const auto& tested) { return tested.param.name; });

TEST(ResizePlan, InsideNeverExceedsTheBoxAndTouchesIt) {
  for (int width = 1; width < 400; width += 13) {
    for (int height = 1; height < 400; height += 17) {
      const SizePlan made = only({width, height}, box(97, 53, Fit::kInside, true));
      EXPECT_LE(made.result.width, 97);
      EXPECT_LE(made.result.height, 53);
      EXPECT_TRUE(made.result.width == 97 || made.result.height == 53) << width << "x" << height;
    }
  }
}

TEST(ResizePlan, CoverAlwaysGivesTheBoxWhenEnlarging) {
  for (int width = 1; width < 400; width += 13) {
    for (int height = 1; height < 400; height += 17) {
      const SizePlan made = only({width, height}, box(97, 53, Fit::kCover, true));
      EXPECT_EQ(made.result, (PixelSize{97, 53}));
      EXPECT_GE(made.resized.width, 97);
      EXPECT_GE(made.resized.height, 53);
    }
  }
}

TEST(ResizePlan, NothingGetsLargerWithoutEnlarge) {
  for (const Fit fit : {Fit::kInside, Fit::kCover, Fit::kFill, Fit::kOutside}) {
    for (int width = 1; width < 300; width += 11) {
      const SizePlan made = only({width, 60}, box(120, 90, fit));
      EXPECT_LE(made.result.width, width);
      EXPECT_LE(made.result.height, 60);
      EXPECT_GE(plan({width, 60}, box(120, 90, fit)).reduction, 1);
    }
  }
}

TEST(ResizePlan, MultipliesTheBoxByTheDevicePixelRatio) {
  RenderSpec spec = box(100, 0);
  spec.dpr = 2;
  EXPECT_EQ(only({1000, 500}, spec).result, (PixelSize{200, 100}));
  spec.dpr = 1.5;
  EXPECT_EQ(only({1000, 500}, spec).result, (PixelSize{150, 75}));
  spec.sizes = {Size{}};
  EXPECT_EQ(only({1000, 500}, spec).result, (PixelSize{1000, 500}));
}

TEST(ResizePlan, ThumbFillsTheFreeAxis) {
  RenderSpec spec = box(100, 0, Fit::kCover);
  spec.thumb = true;
  EXPECT_EQ(only({1000, 500}, spec).result, (PixelSize{100, 100}));
  spec.sizes = {Size{0, 60}};
  EXPECT_EQ(only({1000, 500}, spec).result, (PixelSize{60, 60}));
}

TEST(ResizePlan, AppliesTheBoxToTheUprightPicture) {
  for (int exif = 1; exif <= 8; ++exif) {
    const PixelSize stored = exif >= 5 ? PixelSize{300, 400} : PixelSize{400, 300};
    EXPECT_EQ(only(stored, box(200, 0), exif).result, (PixelSize{200, 150})) << exif;
  }
}

TEST(ResizePlan, AppliesTheBoxAfterTheRotation) {
  RenderSpec spec = box(150, 0);
  spec.rotate = 90;
  EXPECT_EQ(only({400, 300}, spec).result, (PixelSize{150, 200}));
}

TEST(ResizePlan, CombinesExifRotationAndFlip) {
  RenderSpec spec = box(0, 0);
  spec.rotate = 270;
  EXPECT_TRUE(plan({400, 300}, spec, 6).orientation.is_identity());
  spec.rotate = 0;
  spec.flip = Flip::kHorizontal;
  EXPECT_TRUE(plan({400, 300}, spec, 2).orientation.is_identity());
}

RenderSpec crop(Length x, Length y, Length width, Length height) {
  RenderSpec spec;
  spec.crop = Crop{x, y, width, height};
  return spec;
}

TEST(ResizePlan, CutsPixels) {
  const ResizePlan made = plan({400, 300}, crop({10}, {20}, {100}, {50}));
  EXPECT_EQ(made.cut, (Rectangle{10, 20, 100, 50}));
  EXPECT_EQ(made.sizes.at(0).result, (PixelSize{100, 50}));
}

TEST(ResizePlan, CutsPercents) {
  EXPECT_EQ(plan({400, 300}, crop({25, true}, {10, true}, {50, true}, {50, true})).cut, (Rectangle{100, 30, 200, 150}));
}

TEST(ResizePlan, ClipsTheCropToThePicture) {
  EXPECT_EQ(plan({400, 300}, crop({350}, {-20}, {100}, {50})).cut, (Rectangle{350, 0, 50, 30}));
}

TEST(ResizePlan, RefusesAnEmptyCrop) {
  for (const RenderSpec& spec :
       {crop({400}, {0}, {10}, {10}), crop({0}, {0}, {0}, {10}), crop({-20}, {0}, {10}, {10})}) {
    const auto planned = plan_resize({400, 300}, 1, 1, spec, MediaLimits{});
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().code, base::ErrorCode::kInvalidParameter);
  }
}

TEST(ResizePlan, CutsTheUprightPicture) {
  // The top left quarter of what is seen is the bottom left quarter of what is stored (EXIF 6 turns clockwise).
  const ResizePlan made = plan({400, 300}, crop({0}, {0}, {50, true}, {50, true}), 6);
  EXPECT_EQ(made.cut, (Rectangle{0, 150, 200, 150}));
  EXPECT_EQ(made.sizes.at(0).result, (PixelSize{150, 200}));
}

TEST(ResizePlan, TakesTheLeastReductionOfAllSizes) {
  RenderSpec spec;
  spec.sizes = {Size{100, 0}, Size{400, 0}, Size{50, 0}};
  const ResizePlan made = plan({1600, 1200}, spec);
  EXPECT_DOUBLE_EQ(made.reduction, 4);
  EXPECT_EQ(made.sizes.size(), 3U);
  EXPECT_EQ(made.sizes.at(2).result, (PixelSize{50, 38}));
}

TEST(ResizePlan, NamesTheLimitThatAResultExceeds) {
  const MediaLimits limits{.max_output_side = 500, .max_output_pixels = 100'000};
  const auto side = plan_resize({1000, 10}, 1, 1, box(0, 0), limits);
  ASSERT_FALSE(side);
  EXPECT_EQ(side.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_NE(side.error().detail.find("max_output_side 500"), std::string::npos);
  const auto pixels = plan_resize({400, 300}, 1, 1, box(0, 0), limits);
  ASSERT_FALSE(pixels);
  EXPECT_NE(pixels.error().detail.find("max_output_pixels 100000"), std::string::npos);
  EXPECT_TRUE(plan_resize({200, 100}, 1, 5, box(0, 0), limits));
  EXPECT_FALSE(plan_resize({200, 100}, 1, 6, box(0, 0), limits));
}

TEST(ResizePlan, LimitsThePictureBeforeItIsCut) {
  const auto planned = plan_resize({10000, 10}, 1, 1, box(1000, 1000, Fit::kCover, true), MediaLimits{});
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, base::ErrorCode::kLimitExceeded);
}

TEST(JpegShrink, LeavesAFactorOfTwoToTheFilter) {
  EXPECT_EQ(choose_jpeg_shrink(0.5, false), 1);
  EXPECT_EQ(choose_jpeg_shrink(3.99, false), 1);
  EXPECT_EQ(choose_jpeg_shrink(4, false), 2);
  EXPECT_EQ(choose_jpeg_shrink(8, false), 4);
  EXPECT_EQ(choose_jpeg_shrink(15.9, false), 4);
  EXPECT_EQ(choose_jpeg_shrink(16, false), 8);
  EXPECT_EQ(choose_jpeg_shrink(1000, false), 8);
}

TEST(JpegShrink, LeavesNothingWhenFast) {
  EXPECT_EQ(choose_jpeg_shrink(1.9, true), 1);
  EXPECT_EQ(choose_jpeg_shrink(2, true), 2);
  EXPECT_EQ(choose_jpeg_shrink(4, true), 4);
  EXPECT_EQ(choose_jpeg_shrink(8, true), 8);
}

TEST(WebpScale, IsNeverAboveOneAndLeavesAFactorOfTwo) {
  EXPECT_DOUBLE_EQ(choose_webp_scale(0.5, false), 1);
  EXPECT_DOUBLE_EQ(choose_webp_scale(2, false), 1);
  EXPECT_DOUBLE_EQ(choose_webp_scale(8, false), 0.25);
  EXPECT_DOUBLE_EQ(choose_webp_scale(8, true), 0.125);
}

TEST(Place, PutsNamedPositionsAtTheEdges) {
  const auto at = [](GravityKind kind) { return place({40, 20}, {100, 50}, Gravity{.kind = kind}); };
  EXPECT_EQ(at(GravityKind::kNorthWest), (Offset{0, 0}));
  EXPECT_EQ(at(GravityKind::kNorth), (Offset{30, 0}));
  EXPECT_EQ(at(GravityKind::kNorthEast), (Offset{60, 0}));
  EXPECT_EQ(at(GravityKind::kWest), (Offset{0, 15}));
  EXPECT_EQ(at(GravityKind::kCenter), (Offset{30, 15}));
  EXPECT_EQ(at(GravityKind::kEast), (Offset{60, 15}));
  EXPECT_EQ(at(GravityKind::kSouthWest), (Offset{0, 30}));
  EXPECT_EQ(at(GravityKind::kSouth), (Offset{30, 30}));
  EXPECT_EQ(at(GravityKind::kSouthEast), (Offset{60, 30}));
}

TEST(Place, KeepsTheFocalPointInTheMiddleAsFarAsTheEdgesLet) {
  const auto at = [](double x, double y) {
    return place({40, 20}, {100, 50}, Gravity{.kind = GravityKind::kFocalPoint, .x = x, .y = y});
  };
  EXPECT_EQ(at(0.5, 0.5), (Offset{30, 15}));
  EXPECT_EQ(at(0, 0), (Offset{0, 0}));
  EXPECT_EQ(at(1, 1), (Offset{60, 30}));
  EXPECT_EQ(at(0.3, 0.4), (Offset{10, 10}));
}

}  // namespace
}  // namespace optimux::media
