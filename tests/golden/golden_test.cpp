#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "reference.hpp"
#include "test_image.hpp"

// Real files against a reference made in full precision by another path. The files are not part of the product: without
// them there is nothing to compare.

namespace optimux::media {
namespace {

namespace fs = std::filesystem;

fs::path corpus() {
  const char* given = std::getenv("OPTIMUX_CORPUS");  // NOLINT(concurrency-mt-unsafe): before any thread is started.
  return given != nullptr ? given : OPTIMUX_DEFAULT_CORPUS;
}

std::vector<std::string> files_in(const char* folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(corpus() / folder, error)) files.push_back(entry.path().filename());
  std::sort(files.begin(), files.end());
  return files;
}

SourceBuffer read(const char* folder, const std::string& name) {
  std::ifstream file(corpus() / folder / name, std::ios::binary);
  return test::source_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

TEST(Corpus, IsThere) {
  if (files_in("photos").empty()) GTEST_SKIP() << "no files in " << corpus() << ": nothing to compare with";
}

/// Renders a file 300 pixels wide on white, without loss, and holds it against the reference.
void expect_like_reference(const SourceBuffer& source, double tolerance) {
  const RenderSpec spec{.sizes = {Size{300, 0}}, .format = Format::kPng, .effort = 1, .background = Colour{}};
  const auto info = test::executor().inspect(source, {});
  ASSERT_TRUE(info) << info.error().detail << info.error().cause;
  const auto rendered = test::render(source, spec);
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  const int width = std::min(300, info->width);
  ASSERT_EQ(rendered.head().width, width);
  ASSERT_NEAR(rendered.head().height, static_cast<double>(info->height) * width / info->width, 1);

  const auto expected = test::reference(source, info->format, width, rendered.head().height);
  auto image = rendered.image();
  VipsImage* colour = nullptr;
  ASSERT_EQ(vips_colourspace(image.get(), &colour, VIPS_INTERPRETATION_sRGB, nullptr), 0);
  const ImageHandle actual(colour);
  ASSERT_EQ(vips_image_get_width(actual.get()), vips_image_get_width(expected.get()));
  ASSERT_EQ(vips_image_get_height(actual.get()), vips_image_get_height(expected.get()));
  EXPECT_LT(test::mean_difference(actual.get(), expected.get()), tolerance);
}

class Photo : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Photo);

TEST_P(Photo, LooksLikeTheReference) {
  expect_like_reference(read("photos", GetParam()), 1.5);
}

TEST_P(Photo, BecomesASmallWebp) {
  const RenderSpec spec{.sizes = {Size{300, 0}}, .format = Format::kWebp, .quality = 60};
  const auto rendered = test::render(read("photos", GetParam()), spec);
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(rendered.head().content_type, "image/webp");
  EXPECT_LT(rendered.bytes().size(), 40'000U);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Photo, testing::ValuesIn(files_in("photos")), test_name);

class Odd : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Odd);

TEST_P(Odd, LooksLikeTheReferenceOrIsRefused) {
  const auto source = read("odd", GetParam());
  const std::set<std::string> too_large = {"giant-image.jpg"};
  const bool is_svg = GetParam().ends_with(".svg");
  if (!is_svg && too_large.count(GetParam()) == 0) return expect_like_reference(source, 2);
  const auto rendered = test::render(source, {});
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code,
            is_svg ? base::ErrorCode::kUnsupportedMedia : base::ErrorCode::kLimitExceeded);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Odd, testing::ValuesIn(files_in("odd")), test_name);

class Hostile : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Hostile);

TEST_P(Hostile, IsAnErrorInEveryFormat) {
  // Its metadata looks like an SVG, but it is a sound picture, and has to be read as one.
  const bool is_sound = GetParam() == "looks-like-svg.webp";
  for (const Format format : {Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif, Format::kGif}) {
    const auto rendered = test::render(read("hostile", GetParam()), {.sizes = {Size{30, 0}}, .format = format});
    EXPECT_EQ(rendered.report.has_value(), is_sound);
    if (is_sound) continue;
    const auto code = rendered.report.error().code;
    EXPECT_TRUE(code == base::ErrorCode::kUnsupportedMedia || code == base::ErrorCode::kBrokenMedia ||
                code == base::ErrorCode::kLimitExceeded)
        << base::name_of(code);
    EXPECT_FALSE(rendered.bodies[0]->head());
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Hostile, testing::ValuesIn(files_in("hostile")), test_name);

TEST(Corpus, AllOrientationsLookAlike) {
  const auto files = files_in("odd");
  if (std::find(files.begin(), files.end(), "Landscape_1.jpg") == files.end()) GTEST_SKIP() << "no such files";
  const RenderSpec spec{.sizes = {Size{300, 0}}, .format = Format::kPng, .effort = 1};
  const auto first = test::render(read("odd", "Landscape_1.jpg"), spec).image();
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const auto other = test::render(read("odd", "Landscape_" + std::to_string(orientation) + ".jpg"), spec).image();
    ASSERT_EQ(vips_image_get_width(other.get()), 300);
    EXPECT_LT(test::mean_difference(first.get(), other.get()), 6) << orientation;
  }
}

}  // namespace
}  // namespace optimux::media
