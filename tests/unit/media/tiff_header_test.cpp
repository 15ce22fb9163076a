#include "media/tiff_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

TEST(TiffHeader, ReadsSizeAndKind) {
  const auto header = read_tiff_header(*save(gradient(37, 21).get(), ".tif"), 0);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_EQ(header->height, 21);
  EXPECT_EQ(header->bits, 8);
  EXPECT_EQ(header->colour_space, "srgb");
  EXPECT_FALSE(header->has_alpha);
  EXPECT_TRUE(read_tiff_header(*save(gradient_with_alpha(4, 4).get(), ".tif"), 0)->has_alpha);
}

TEST(TiffHeader, CountsPagesAndRefusesOneThatIsNotThere) {
  const auto source = save(animation(20, 10, 3).get(), ".tif");
  EXPECT_EQ(read_tiff_header(*source, 0)->pages, 3);
  EXPECT_TRUE(read_tiff_header(*source, 2));
  const auto missing = read_tiff_header(*source, 3);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::kInvalidParameter);
  EXPECT_NE(missing.error().detail.find("page"), std::string::npos);
}

TEST(TiffHeader, RefusesAChainThatGoesInCircles) {
  // Little endian, a directory without entries at 8 that names itself as the next.
  const std::string text("II\x2a\0\x08\0\0\0\0\0\x08\0\0\0", 14);
  const auto header = read_tiff_header(*source_of(text), 0);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
}

TEST(TiffHeader, RefusesADirectoryPastTheEnd) {
  EXPECT_FALSE(read_tiff_header(*source_of(std::string("II\x2a\0\xff\0\0\0", 8)), 0));
  EXPECT_FALSE(read_tiff_header(*source_of(std::string("MM\0\x2a\0\0\0\x08\0\xff", 10)), 0));
}

}  // namespace
}  // namespace optimux::media
