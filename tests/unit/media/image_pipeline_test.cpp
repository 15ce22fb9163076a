#include "media/image_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::gradient_with_alpha;
using test::mean_difference;
using test::pixel;
using test::render;
using test::save;

constexpr std::array kWritable = {Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif, Format::kGif};

/// A source of each format that can be made here; HEIC cannot without a patented encoder.
SourceBuffer source_in(Format format, VipsImage* image) {
  switch (format) {
    case Format::kJpeg: return save(image, ".jpg[Q=95]");
    case Format::kPng: return save(image, ".png");
    case Format::kWebp: return save(image, ".webp[Q=95]");
    case Format::kAvif: return save(image, ".avif[Q=90,effort=0]");
    case Format::kGif: return save(image, ".gif");
    case Format::kTiff:
    case Format::kHeic: break;
  }
  return save(image, ".tif");
}

RenderSpec to(Format format, int width = 0, int height = 0) {
  return {.sizes = {Size{width, height}}, .format = format, .effort = 1};
}

class EveryFormat : public testing::TestWithParam<std::tuple<Format, Format>> {};

TEST_P(EveryFormat, BecomesEveryOther) {
  const auto [from, format] = GetParam();
  const auto rendered = render(source_in(from, gradient(200, 120).get()), to(format, 100));
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_EQ(rendered.report->format, format);
  EXPECT_EQ(rendered.head().content_type, content_type_of(format));
  EXPECT_EQ(rendered.head().width, 100);
  EXPECT_EQ(rendered.head().height, 60);
  const auto image = rendered.image();
  EXPECT_EQ(vips_image_get_width(image.get()), 100);
  EXPECT_EQ(vips_image_get_height(image.get()), 60);
  EXPECT_NEAR(pixel(image.get(), 50, 30, 0), 128, 16);
  EXPECT_NEAR(pixel(image.get(), 90, 30, 0), 230, 16);
  EXPECT_NEAR(pixel(image.get(), 50, 10, 1), 43, 16);
}

std::string matrix_name(const testing::TestParamInfo<std::tuple<Format, Format>>& info) {
  return std::string(name_of(std::get<0>(info.param))) + "_to_" + std::string(name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(Matrix, EveryFormat,
                         testing::Combine(testing::Values(Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif,
                                                          Format::kGif, Format::kTiff),
                                          testing::ValuesIn(kWritable)),
                         matrix_name);

TEST(Render, GivesExactlyThePlannedSizeAtEveryShrink) {
  for (const char* suffix : {".jpg", ".webp", ".png"}) {
    const auto source = save(gradient(613, 407).get(), suffix);
    for (int width = 1; width < 613; width += 29) {
      const auto rendered = render(source, to(Format::kPng, width));
      ASSERT_TRUE(rendered.report);
      const auto image = rendered.image();
      EXPECT_EQ(vips_image_get_width(image.get()), width) << suffix;
      EXPECT_EQ(vips_image_get_height(image.get()), rendered.head().height) << suffix << width;
      EXPECT_NEAR(rendered.head().height, std::max(1.0, 407.0 * width / 613), 0.51) << suffix << width;
    }
  }
}

TEST(Render, ShrinksOnLoadWithoutMovingThePicture) {
  const auto source = gradient(1600, 1200);
  const auto exact = render(save(source.get(), ".png"), to(Format::kPng, 100));
  for (const char* suffix : {".jpg[Q=98]", ".webp[Q=98]", ".jpg[Q=98,interlace]"}) {
    const auto rendered = render(save(source.get(), suffix), to(Format::kPng, 100));
    ASSERT_TRUE(rendered.report) << suffix;
    EXPECT_LT(mean_difference(rendered.image().get(), exact.image().get()), 2) << suffix;
  }
}

TEST(Render, CutsWhatASmallJpegShowsThere) {
  RenderSpec spec = to(Format::kPng, 100);
  spec.crop = Crop{{50, true}, {50, true}, {50, true}, {50, true}};
  const auto rendered = render(save(gradient(1600, 1200).get(), ".jpg[Q=98]"), spec);
  ASSERT_TRUE(rendered.report);
  const auto image = rendered.image();
  EXPECT_NEAR(pixel(image.get(), 0, 0, 0), 128, 3);
  EXPECT_NEAR(pixel(image.get(), 99, 74, 0), 254, 3);
  EXPECT_NEAR(pixel(image.get(), 0, 74, 1), 254, 3);
}

TEST(Render, CutsByGravity) {
  const auto source = save(gradient(300, 100).get(), ".png");
  RenderSpec spec = to(Format::kPng, 100, 100);
  spec.fit = Fit::kCover;
  const auto left_edge = [&](GravityKind kind, double x = 0.5) {
    spec.gravity = {kind, x, 0.5};
    return pixel(render(source, spec).image().get(), 0, 50, 0);
  };
  EXPECT_NEAR(left_edge(GravityKind::kWest), 0, 1);
  EXPECT_NEAR(left_edge(GravityKind::kCenter), 85, 1);
  EXPECT_NEAR(left_edge(GravityKind::kEast), 170, 1);
  EXPECT_NEAR(left_edge(GravityKind::kFocalPoint, 0.4), 60, 1);
}

/// Grey with a busy, colourful square of 60 pixels at `left`.
SourceBuffer with_detail_at(int left) {
  VipsImage* canvas = nullptr;
  EXPECT_EQ(vips_black(&canvas, 400, 100, "bands", 3, nullptr), 0);
  const ImageHandle black(canvas);
  VipsImage* noise = nullptr;
  EXPECT_EQ(vips_gaussnoise(&noise, 60, 60, "mean", 128.0, "sigma", 60.0, "seed", 7, nullptr), 0);
  const ImageHandle grey(noise);
  std::array<VipsImage*, 3> bands = {grey.get(), black.get(), black.get()};
  VipsImage* square = nullptr;
  VipsImage* cut = nullptr;
  EXPECT_EQ(vips_crop(black.get(), &cut, 0, 0, 60, 60, nullptr), 0);
  const ImageHandle small(cut);
  VipsImage* one = nullptr;
  EXPECT_EQ(vips_extract_band(small.get(), &one, 0, nullptr), 0);
  const ImageHandle dark(one);
  bands[1] = bands[2] = dark.get();
  EXPECT_EQ(vips_bandjoin(bands.data(), &square, 3, nullptr), 0);
  const ImageHandle detail(square);
  VipsImage* joined = nullptr;
  EXPECT_EQ(vips_insert(black.get(), detail.get(), &joined, left, 20, nullptr), 0);
  const ImageHandle whole(joined);
  VipsImage* picture = nullptr;
  EXPECT_EQ(vips_cast(whole.get(), &picture, VIPS_FORMAT_UCHAR, nullptr), 0);
  const ImageHandle bytes(picture);
  bytes->Type = VIPS_INTERPRETATION_sRGB;
  return save(bytes.get(), ".png");
}

TEST(Render, CutsWhereThereIsSomethingToSee) {
  for (const GravityKind kind : {GravityKind::kSmart, GravityKind::kEntropy}) {
    for (const int left : {10, 320}) {
      RenderSpec spec = to(Format::kPng, 100, 100);
      spec.fit = Fit::kCover;
      spec.gravity.kind = kind;
      const auto rendered = render(with_detail_at(left), spec);
      ASSERT_TRUE(rendered.report);
      double mean = 0;
      ASSERT_EQ(vips_avg(rendered.image().get(), &mean, nullptr), 0);
      EXPECT_GT(mean, 10) << "the square is missing, gravity " << static_cast<int>(kind) << " left " << left;
    }
  }
}

TEST(Render, FillsBesideTheContainedPicture) {
  RenderSpec spec = to(Format::kPng, 100, 100);
  spec.fit = Fit::kContain;
  const auto opaque = render(save(gradient(200, 100).get(), ".png"), spec).image();
  EXPECT_EQ(vips_image_get_height(opaque.get()), 100);
  EXPECT_EQ(pixel(opaque.get(), 50, 0, 2), 255);
  const auto transparent = render(save(gradient_with_alpha(200, 100).get(), ".png"), spec).image();
  EXPECT_EQ(pixel(transparent.get(), 50, 0, 3), 0);
  spec.background = Colour{10, 20, 30};
  const auto coloured = render(save(gradient_with_alpha(200, 100).get(), ".png"), spec).image();
  EXPECT_EQ(vips_image_get_bands(coloured.get()), 3);
  EXPECT_EQ(pixel(coloured.get(), 50, 0, 1), 20);
}

TEST(Render, KeepsAlphaWhereTheFormatCan) {
  const auto source = save(gradient_with_alpha(100, 100).get(), ".png");
  for (const Format format : {Format::kPng, Format::kWebp, Format::kAvif}) {
    const auto image = render(source, to(format, 50)).image();
    ASSERT_EQ(vips_image_get_bands(image.get()), 4) << name_of(format);
    EXPECT_NEAR(pixel(image.get(), 25, 25, 3), 128, 8) << name_of(format);
  }
}

TEST(Render, FlattensOntoWhiteOrTheBackground) {
  VipsImage* transparent = nullptr;
  ASSERT_EQ(vips_black(&transparent, 40, 40, "bands", 4, nullptr), 0);
  const ImageHandle image(transparent);
  image->Type = VIPS_INTERPRETATION_sRGB;
  const auto source = save(image.get(), ".png");
  const auto white = render(source, to(Format::kJpeg)).image();
  EXPECT_EQ(vips_image_get_bands(white.get()), 3);
  EXPECT_NEAR(pixel(white.get(), 20, 20, 0), 255, 1);
  RenderSpec spec = to(Format::kPng);
  spec.background = Colour{200, 100, 50};
  const auto coloured = render(source, spec).image();
  ASSERT_EQ(vips_image_get_bands(coloured.get()), 3);
  EXPECT_EQ(pixel(coloured.get(), 20, 20, 1), 100);
}

TEST(Render, DoesNotLetInvisibleColoursBleed) {
  // White and opaque on the left, black and invisible on the right.
  std::array<std::uint8_t, 64 * 4> row{};
  for (int x = 0; x < 32; ++x) std::fill_n(&row[static_cast<std::size_t>(x) * 4], 4, std::uint8_t{255});
  const ImageHandle line(vips_image_new_from_memory_copy(row.data(), row.size(), 64, 1, 4, VIPS_FORMAT_UCHAR));
  line->Type = VIPS_INTERPRETATION_sRGB;
  VipsImage* tall = nullptr;
  ASSERT_EQ(vips_replicate(line.get(), &tall, 1, 64, nullptr), 0);
  const ImageHandle image(tall);
  const auto rendered = render(save(image.get(), ".png"), to(Format::kPng, 17)).image();
  for (int x = 0; x < 17; ++x) {
    const bool is_visible = pixel(rendered.get(), x, 8, 3) > 25;
    EXPECT_TRUE(!is_visible || pixel(rendered.get(), x, 8, 0) > 235) << x;
  }
}

TEST(Render, BlursAndSharpens) {
  VipsImage* zone = nullptr;
  ASSERT_EQ(vips_zone(&zone, 64, 64, "uchar", TRUE, nullptr), 0);
  const ImageHandle image(zone);
  const auto source = save(image.get(), ".png");
  const auto deviation = [&](const RenderSpec& spec) {
    double value = 0;
    EXPECT_EQ(vips_deviate(render(source, spec).image().get(), &value, nullptr), 0);
    return value;
  };
  RenderSpec plain = to(Format::kPng, 48);
  RenderSpec blurred = plain;
  blurred.blur = 3;
  RenderSpec sharpened = plain;
  sharpened.sharpen = 1;
  EXPECT_LT(deviation(blurred), deviation(plain) * 0.7);
  EXPECT_GT(deviation(sharpened), deviation(plain));
}

TEST(Render, BlursAndSharpensWithAlphaAtTheLimits) {
  RenderSpec spec = to(Format::kPng, 40);
  spec.blur = 50;
  spec.sharpen = 50;
  const auto rendered = render(save(gradient_with_alpha(80, 80).get(), ".png"), spec);
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_EQ(vips_image_get_bands(rendered.image().get()), 4);
}

TEST(Render, MakesSeveralSizesFromOneDecode) {
  RenderSpec spec;
  spec.sizes = {Size{400, 0}, Size{100, 0}, Size{0, 50}, Size{60, 60}, Size{1, 1}};
  spec.format = Format::kPng;
  for (const char* suffix : {".jpg[Q=98]", ".png", ".webp[Q=98]"}) {
    const auto source = save(gradient(1600, 1200).get(), suffix);
    const auto rendered = render(source, spec);
    ASSERT_TRUE(rendered.report) << suffix;
    for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
      EXPECT_EQ(rendered.bodies[i]->state(), base::SharedBody::State::kComplete);
      RenderSpec single = spec;
      single.sizes = {spec.sizes[i]};
      const auto alone = render(source, single);
      EXPECT_LT(mean_difference(rendered.image(i).get(), alone.image().get()), 1.5) << suffix << " " << i;
    }
  }
}

TEST(Render, GivesTheSameBytesEveryTime) {
  const auto source = save(gradient(300, 200).get(), ".jpg");
  for (const Format format : kWritable) {
    EXPECT_EQ(render(source, to(format, 90)).bytes(), render(source, to(format, 90)).bytes()) << name_of(format);
  }
}

TEST(Render, TakesTheSourcesFormatWhenNoneIsAskedFor) {
  EXPECT_EQ(render(save(gradient(30, 20).get(), ".webp"), {}).report->format, Format::kWebp);
  EXPECT_EQ(render(save(gradient(30, 20).get(), ".tif"), {}).report->format, Format::kJpeg);
  EXPECT_EQ(render(save(gradient_with_alpha(30, 20).get(), ".tif"), {}).report->format, Format::kPng);
}

TEST(Render, ObeysQuality) {
  const auto source = save(gradient(300, 200).get(), ".png");
  for (const Format format : {Format::kJpeg, Format::kWebp, Format::kAvif}) {
    RenderSpec low = to(format);
    low.quality = 10;
    RenderSpec high = to(format);
    high.quality = 95;
    EXPECT_LT(render(source, low).bytes().size(), render(source, high).bytes().size()) << name_of(format);
  }
}

TEST(Render, IsExactWhenLossless) {
  const auto image = gradient(120, 80);
  const auto source = save(image.get(), ".png");
  RenderSpec spec = to(Format::kWebp);
  spec.lossless = true;
  EXPECT_EQ(mean_difference(render(source, spec).image().get(), image.get()), 0);
}

TEST(Render, WritesProgressiveFilesWhenAsked) {
  const auto source = save(gradient(120, 80).get(), ".png");
  for (const Format format : {Format::kJpeg, Format::kPng}) {
    RenderSpec spec = to(format);
    EXPECT_FALSE(test::executor().inspect(test::source_of(render(source, spec).bytes()), {})->is_progressive);
    spec.progressive = true;
    EXPECT_TRUE(test::executor().inspect(test::source_of(render(source, spec).bytes()), {})->is_progressive);
  }
}

TEST(Render, AcceptsEveryEffort) {
  const auto source = save(gradient(24, 16).get(), ".png");
  for (const Format format : kWritable) {
    for (int effort = 0; effort <= 9; ++effort) {
      RenderSpec spec = to(format);
      spec.effort = effort;
      EXPECT_TRUE(render(source, spec).report) << name_of(format) << " " << effort;
    }
  }
}

TEST(Render, UsesTheFastPathForThumbs) {
  RenderSpec spec = to(Format::kPng, 100);
  spec.thumb = true;
  spec.fit = Fit::kCover;
  const auto rendered = render(save(gradient(1600, 1200).get(), ".jpg[Q=95]"), spec);
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(rendered.head().width, 100);
  EXPECT_EQ(rendered.head().height, 100);
}

TEST(Render, EnlargesWhenAsked) {
  RenderSpec spec = to(Format::kPng, 200);
  EXPECT_EQ(render(save(gradient(100, 50).get(), ".jpg[Q=98]"), spec).head().width, 100);
  spec.enlarge = true;
  const auto enlarged = render(save(gradient(100, 50).get(), ".jpg[Q=98]"), spec);
  ASSERT_TRUE(enlarged.report) << enlarged.report.error().cause;
  EXPECT_LT(mean_difference(enlarged.image().get(), gradient(200, 100).get()), 3);
}

// What a reader can be told at the head and at the end of an output has to be known before it sees them.
TEST(ImagePipeline, TellsItsTimesBeforeAnOutputStartsAndBeforeItCompletes) {
  const auto source = save(gradient(300, 200).get(), ".png");
  const std::vector<std::shared_ptr<base::SharedBody>> bodies = {std::make_shared<base::SharedBody>(),
                                                                 std::make_shared<base::SharedBody>()};
  std::vector<std::string> states;
  std::vector<std::chrono::microseconds> encode_times;
  const auto digit = [](const auto& body) { return std::to_string(static_cast<int>(body->state())); };
  const RenderSpec spec{.sizes = {Size{90, 0}, Size{60, 0}}, .format = Format::kWebp};
  const OperationControl control{{}, {}, [&](const RenderReport& so_far) {
                                   states.push_back(digit(bodies[0]) + digit(bodies[1]));
                                   encode_times.push_back(so_far.encode);
                                 }};
  const auto report = test::executor().render(source, spec, bodies, control);
  ASSERT_TRUE(report);
  // Pending is 0, started 1, complete 2.
  EXPECT_EQ(states, (std::vector<std::string>{"00", "10", "21"}));
  EXPECT_EQ(encode_times.front().count(), 0);
  EXPECT_LE(encode_times[1], encode_times[2]);
  EXPECT_EQ(encode_times.back(), report->encode);
}

}  // namespace
}  // namespace optimux::media
