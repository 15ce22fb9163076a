#include "media/gif_pixels.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::gradient;
using test::save;
using test::source_of;
using test::text_of;

// A frame of `side` x `side` pixels whose LZW data, of literals of two bits, are `data`.
std::string gif(char side, const std::string& data) {
  const std::string screen = std::string("GIF89a", 6) + side + '\0' + side + std::string(4, '\0');
  const std::string frame = std::string("\x2c\0\0\0\0", 5) + side + '\0' + side + std::string(2, '\0') + "\x02";
  return screen + frame + static_cast<char>(data.size()) + data + std::string("\0;", 2);
}

base::Status check(const std::string& file, int frames = 1) {
  return check_gif_pixels(*source_of(file), frames, {});
}

// Codes of three bits, the first lowest: clear (4), then a literal, then a string of two that is not yet known (6),
// then the end (5).
const std::string kThreePixels = {'\x8c', '\x0b'};

TEST(GifPixels, CountsTheStringsThatCodesStandFor) {
  EXPECT_TRUE(check(gif(1, kThreePixels)));
  EXPECT_FALSE(check(gif(2, kThreePixels)));
}

TEST(GifPixels, TakesWhatEncodersMake) {
  const auto noise = [](int side) {
    VipsImage* grey = nullptr;
    EXPECT_EQ(vips_gaussnoise(&grey, side, side, "sigma", 60.0, "mean", 128.0, nullptr), 0);
    const ImageHandle lazy(grey);
    VipsImage* bytes = nullptr;
    EXPECT_EQ(vips_cast(grey, &bytes, VIPS_FORMAT_UCHAR, nullptr), 0);
    return ImageHandle(bytes);
  };
  for (const char* suffix : {".gif", ".gif[interlace]", ".gif[bitdepth=1]", ".gif[bitdepth=4]"}) {
    EXPECT_TRUE(check(std::string(text_of(save(gradient(300, 200).get(), suffix))))) << suffix;
    EXPECT_TRUE(check(std::string(text_of(save(noise(300).get(), suffix))))) << suffix;
    EXPECT_TRUE(check(std::string(text_of(save(animation(50, 40, 5).get(), suffix))), 5)) << suffix;
  }
}

TEST(GifPixels, RefusesDataThatEndEarlyWhereverTheyDo) {
  const std::string file(text_of(save(gradient(60, 50).get(), ".gif")));
  std::size_t at = file.find(std::string("\x2c\0\0\0\0\x3c\0\x32\0", 9));
  ASSERT_NE(at, std::string::npos);
  at += 9;
  const auto packed = static_cast<unsigned char>(file[at]);
  at += 2 + ((packed & 0x80U) != 0 ? std::size_t{3} << ((packed & 7U) + 1) : 0);
  ASSERT_TRUE(check(file));
  int blocks = 0;
  while (file[at] != 0) {
    EXPECT_FALSE(check(file.substr(0, at) + std::string("\0;", 2))) << blocks;
    at += 1 + static_cast<unsigned char>(file[at]);
    ++blocks;
  }
  EXPECT_GT(blocks, 3);
}

TEST(GifPixels, RefusesCodesThatDoNotExist) {
  EXPECT_FALSE(check(gif(4, {'\xfc', '\xff'})));  // 7 behind a clear code.
  EXPECT_FALSE(check(gif(4, {'\x2c'})));          // The end behind a clear code.
  std::string bits = gif(4, kThreePixels);
  bits[bits.find('\x02', 13)] = 12;  // Literals of 12 bits.
  EXPECT_FALSE(check(bits));
}

TEST(GifPixels, LooksAtTheFramesThatAreAskedForOnly) {
  const std::string whole = gif(1, kThreePixels);
  const std::string two = whole.substr(0, whole.size() - 1) + gif(2, kThreePixels).substr(13);
  EXPECT_TRUE(check(two, 1));
  EXPECT_FALSE(check(two, 2));
}

TEST(GifPixels, StopsWhenNobodyWaits) {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = check_gif_pixels(*source_of(gif(1, kThreePixels)), 1, {stop.get_token(), {}, {}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace optimux::media
