#include "media/blur_hash.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "test_image.hpp"

namespace optimux::media {
namespace {

std::vector<std::uint8_t> plain(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < width * height; ++i) rgb.insert(rgb.end(), {red, green, blue});
  return rgb;
}

// By hand from the description: size flag 2 * 9 + 3 = 21 = `L`; the largest component; the mean colour in base 83.
TEST(BlurHash, IsTheMeanColourForAPlainPicture) {
  EXPECT_EQ(blur_hash(plain(32, 32, 0, 0, 0), 32, 32, 1, 1), "000000");
  EXPECT_EQ(blur_hash(plain(32, 32, 255, 255, 255), 32, 32, 1, 1), "00TSUA");
  EXPECT_EQ(blur_hash(plain(8, 8, 0, 0, 0), 8, 8, 4, 3).substr(0, 6), "L00000");
  EXPECT_EQ(blur_hash(plain(8, 8, 0, 0, 0), 8, 8, 4, 3).size(), 28U);
}

// Left half black, right half white: the mean in linear light is 0.5, of which sRGB is 188 = bc.
TEST(BlurHash, AveragesInLinearLight) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 64; ++i) rgb.insert(rgb.end(), 3, i % 8 < 4 ? 0 : 255);
  const std::string hash = blur_hash(rgb, 8, 8, 2, 1);
  // 0xbcbcbc = 12369084 = ((21 * 83 + 52) * 83 + 40) * 83 + 9.
  EXPECT_EQ(hash.substr(2, 4), "Lqe9");
  EXPECT_EQ(hash.size(), 8U);
}

TEST(BlurHash, IsMadeOfASourceUpright) {
  const auto upright = test::gradient(120, 80);
  VipsImage* turned = nullptr;
  ASSERT_EQ(vips_rot(upright.get(), &turned, VIPS_ANGLE_D270, nullptr), 0);
  const ImageHandle owned(turned);
  vips_image_set_int(turned, VIPS_META_ORIENTATION, 6);
  const auto expected = test::executor().inspect_with_blur_hash(test::save(upright.get(), ".webp[lossless]"), {});
  const auto found = test::executor().inspect_with_blur_hash(test::save(turned, ".webp[lossless]"), {});
  ASSERT_TRUE(expected);
  ASSERT_TRUE(found);
  EXPECT_EQ(expected->blur_hash.size(), 28U);
  EXPECT_EQ(found->blur_hash, expected->blur_hash);
  EXPECT_EQ(found->width, 120);
}

}  // namespace
}  // namespace optimux::media
