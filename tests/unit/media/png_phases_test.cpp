#include "media/png_phases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;
using test::find_phases;
using test::save;
using test::text_of;
using test::textured;

std::string png(const std::string& options, int width = 200, int height = 120) {
  return std::string(text_of(save(textured(width, height).get(), ".png[strip" + options + "]")));
}

TEST(PngPhases, HeadEndsWhereThePixelsBegin) {
  const std::string text = png("");
  const auto found = find_phases(text, Format::kPng);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].phase, Phase::kHead);
  EXPECT_EQ(found.ends[0].offset, text.find("IDAT") + 4);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[1].offset, found.ends[0].offset);
}

TEST(PngPhases, InterlacedEndsPhasesWithItsPasses) {
  const std::string text = png(",interlace", 400, 300);
  const auto found = find_phases(text, Format::kPng);
  ASSERT_EQ(found.ends.size(), 3u);
  EXPECT_EQ(found.ends[0].offset, text.find("IDAT") + 4);
  EXPECT_EQ(found.ends[1].phase, Phase::kFirst);
  EXPECT_EQ(found.ends[1].number, 3);
  EXPECT_GT(found.ends[1].offset, text.size() / 25);
  EXPECT_LT(found.ends[1].offset, text.size() / 8);
  EXPECT_EQ(found.ends[2].phase, Phase::kGood);
  EXPECT_EQ(found.ends[2].number, 5);
  EXPECT_GT(found.ends[2].offset, text.size() / 5);
  EXPECT_LT(found.ends[2].offset, text.size() / 2);
}

// Of the smallest pictures some passes have no pixel.
TEST(PngPhases, EverySizeHasAllEnds) {
  for (int width = 1; width <= 9; ++width) {
    for (int height = 1; height <= 9; ++height) {
      const std::string text = png(",interlace", width, height);
      const auto found = find_phases(text, Format::kPng);
      ASSERT_EQ(found.ends.size(), 3u) << width << "x" << height;
      EXPECT_LE(found.ends[2].offset, text.size() - 12 - 4) << "behind the pixels";
    }
  }
}

TEST(PngPhases, EveryDepthHasAllEnds) {
  for (const std::string options : {",palette,bitdepth=1", ",palette,bitdepth=2", ",palette,bitdepth=4", ",palette"}) {
    const std::string text = png(",interlace" + options);
    EXPECT_EQ(find_phases(text, Format::kPng).ends.size(), 3u) << options;
  }
}

// A byte fewer does not have the last pixel of the pass: that is how exact an end is.
TEST(PngPhases, PassEndsWithItsLastByte) {
  const std::string text = png(",interlace", 400, 300);
  const auto whole = find_phases(text, Format::kPng);
  for (const std::size_t index : {1u, 2u}) {
    const auto offset = static_cast<std::size_t>(whole.ends[index].offset);
    EXPECT_EQ(find_phases(text.substr(0, offset - 1), Format::kPng).ends.size(), index);
    EXPECT_EQ(find_phases(text.substr(0, offset), Format::kPng).ends.size(), index + 1);
  }
}

TEST(PngPhases, DamagedPixelsEndIt) {
  std::string text = png(",interlace");
  text.replace(text.find("IDAT") + 4, 20, std::string(20, '\x77'));
  PhaseScanner scanner(Format::kPng);
  EXPECT_EQ(scanner.feed(std::as_bytes(std::span(text))).size(), 1u);
  EXPECT_TRUE(scanner.is_done());
}

TEST(PngPhases, WithoutASizeThereIsNone) {
  std::string text = png("");
  text.replace(text.find("IHDR") + 4, 4, std::string(4, '\0'));
  EXPECT_TRUE(find_phases(text, Format::kPng).ends.empty());
}

}  // namespace
}  // namespace optimux::media
