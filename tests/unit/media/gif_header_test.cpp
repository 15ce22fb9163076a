#include "media/gif_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::save;
using test::source_of;
using test::text_of;

// One frame of one pixel: image descriptor, code size, one sub-block, end.
std::string tiny_frame() {
  return std::string("\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0", 15);
}
std::string tiny_screen() {
  return std::string("GIF89a\x01\0\x01\0\0\0\0", 13);
}

TEST(GifHeader, CountsFramesAndTheirTime) {
  const auto header = read_gif_header(*save(animation(20, 10, 4).get(), ".gif"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 20);
  EXPECT_EQ(header->height, 10);
  EXPECT_EQ(header->pages, 4);
  EXPECT_TRUE(header->is_animation);
  EXPECT_NEAR(header->duration, 0.05 + 0.06 + 0.07 + 0.08, 1e-9);
}

base::Result<SourceHeader> header_of_frames(int count) {
  std::string text = tiny_screen();
  for (int i = 0; i < count; ++i) text += tiny_frame();
  return read_gif_header(*source_of(text + ";"));
}

TEST(GifHeader, RefusesMoreFramesThanAnAnimationHas) {
  const auto most = header_of_frames(4096);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->pages, 4096);
  for (const int count : {4097, 107'000}) {
    const auto header = header_of_frames(count);
    ASSERT_FALSE(header) << count;
    EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
    EXPECT_EQ(header.error().detail, "the image has more than 4096 frames");
  }
}

TEST(GifHeader, TakesTheLargestFrameForTheCanvas) {
  std::string frame = tiny_frame();
  frame[1] = 5;       // Left.
  frame[6] = '\xff';  // Width, high byte.
  const auto header = read_gif_header(*source_of(tiny_screen() + frame + ";"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 5 + 0xff01);
  EXPECT_EQ(header->height, 1);
}

TEST(GifHeader, RefusesAFileThatEndsInsideABlock) {
  const std::string text = tiny_screen() + tiny_frame();
  EXPECT_TRUE(read_gif_header(*source_of(text + ";")));
  EXPECT_TRUE(read_gif_header(*source_of(text))) << "only the trailer is missing";
  for (std::size_t length = 6; length < text.size(); ++length) {
    const auto header = read_gif_header(*source_of(text.substr(0, length)));
    ASSERT_FALSE(header) << length;
    EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  }
}

TEST(GifHeader, RefusesAFileWithoutFrame) {
  EXPECT_FALSE(read_gif_header(*source_of(tiny_screen() + ";")));
  EXPECT_FALSE(read_gif_header(*source_of(tiny_screen() + "garbage")));
}

}  // namespace
}  // namespace optimux::media
