#include "media/png_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

TEST(PngHeader, ReadsSizeAndKind) {
  const auto header = read_png_header(*save(gradient(37, 21).get(), ".png"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_EQ(header->height, 21);
  EXPECT_EQ(header->bits, 8);
  EXPECT_FALSE(header->has_alpha);
  EXPECT_FALSE(header->is_progressive);
  EXPECT_EQ(header->colour_space, "srgb");
}

TEST(PngHeader, SeesAlphaInterlacingAndProfile) {
  const auto header = read_png_header(*save(gradient_with_alpha(37, 21).get(), ".png[interlace,profile=p3]"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_alpha);
  EXPECT_TRUE(header->is_progressive);
  EXPECT_TRUE(header->has_profile);
}

TEST(PngHeader, RefusesEveryCutOffFile) {
  const auto source = save(gradient(40, 40).get(), ".png");
  const auto text = text_of(source);
  for (std::size_t length = 8; length < text.size(); ++length) {
    const auto header = read_png_header(*source_of(text.substr(0, length)));
    ASSERT_FALSE(header) << length;
    EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  }
}

TEST(PngHeader, IgnoresWhatFollowsTheEnd) {
  const auto source = save(gradient(4, 4).get(), ".png");
  EXPECT_TRUE(read_png_header(*source_of(std::string(text_of(source)) + "garbage")));
}

TEST(PngHeader, ReportsSizesOf32Bits) {
  std::string text(text_of(save(gradient(4, 4).get(), ".png")));
  text.replace(16, 8, "\x7f\xff\xff\xff\x7f\xff\xff\xff");
  const auto header = read_png_header(*source_of(text));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 0x7fffffff);
  EXPECT_EQ(header->height, 0x7fffffff);
}

TEST(PngHeader, ReadsTheOrientationThatExifHolds) {
  std::string text(text_of(save(gradient(4, 4).get(), ".png")));
  const std::string exif("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0", 22);
  text.insert(33, std::string("\0\0\0\x16"
                              "eXIf",
                              8) +
                      exif + "sums");  // After the signature and IHDR.
  const auto header = read_png_header(*source_of(text));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->orientation, 6);
}

TEST(PngHeader, RefusesSizesOfZero) {
  std::string text(text_of(save(gradient(4, 4).get(), ".png")));
  text.replace(16, 4, std::string(4, '\0'));
  EXPECT_FALSE(read_png_header(*source_of(text)));
}

}  // namespace
}  // namespace optimux::media
