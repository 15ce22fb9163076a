#include "media/webp_header.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::animation;
using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

TEST(WebpHeader, ReadsLossyFiles) {
  const auto header = read_webp_header(*save(gradient(37, 21).get(), ".webp[strip]"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_EQ(header->height, 21);
  EXPECT_FALSE(header->has_alpha);
  EXPECT_FALSE(header->is_animation);
}

TEST(WebpHeader, ReadsLosslessFilesWithAlpha) {
  const auto header = read_webp_header(*save(gradient_with_alpha(137, 221).get(), ".webp[lossless,strip]"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 137);
  EXPECT_EQ(header->height, 221);
  EXPECT_TRUE(header->has_alpha);
}

TEST(WebpHeader, SeesAProfile) {
  const auto header = read_webp_header(*save(gradient(37, 21).get(), ".webp[profile=p3]"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_profile);
}

TEST(WebpHeader, CountsFramesAndTheirTime) {
  const auto header = read_webp_header(*save(animation(20, 10, 4).get(), ".webp"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 20);
  EXPECT_EQ(header->height, 10);
  EXPECT_EQ(header->pages, 4);
  EXPECT_TRUE(header->is_animation);
  EXPECT_NEAR(header->duration, 0.26, 1e-9);
}

std::string little_endian(std::size_t value, std::size_t bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

std::string chunk(std::string_view type, const std::string& data) {
  return std::string(type) + little_endian(data.size(), 4) + data + std::string(data.size() % 2, '\0');
}

std::string canvas(std::size_t width, std::size_t height) {
  return chunk("VP8X", std::string(4, '\0') + little_endian(width - 1, 3) + little_endian(height - 1, 3));
}

// A lossless picture's size; what follows of it is of no interest to a header.
std::string picture(std::size_t width, std::size_t height) {
  return chunk("VP8L", "\x2f" + little_endian((width - 1) | (height - 1) << 14, 4) + "    ");
}

base::Result<SourceHeader> header_of(std::initializer_list<std::string> chunks) {
  std::string text = "WEBP";
  for (const std::string& part : chunks) text += part;
  return read_webp_header(*source_of("RIFF" + little_endian(text.size(), 4) + text));
}

TEST(WebpHeader, TakesACanvasOfThePicturesSize) {
  const auto header = header_of({canvas(1000, 700), picture(1000, 700)});
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 1000);
  EXPECT_EQ(header->height, 700);
}

// Decoders decode the picture, however small a canvas that they do not look at claims to be.
TEST(WebpHeader, RefusesTwoSizes) {
  const auto large = picture(16'383, 16'383);
  for (const auto& header :
       {header_of({large, canvas(1000, 1000)}), header_of({canvas(1000, 1000), large}),
        header_of({canvas(16'383, 16'383), large, canvas(1000, 1000)}), header_of({picture(1000, 1000), large}),
        header_of({canvas(1000, 16'383), large}), header_of({canvas(16'383, 1000), large}),
        header_of({chunk("EXIF", ""), canvas(16'383, 16'383), large})}) {
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  }
}

// An animation of 1 x 1 pixels.
base::Result<SourceHeader> header_of_frames(int count) {
  std::string frames;
  for (int i = 0; i < count; ++i) frames += chunk("ANMF", std::string(16, '\0') + picture(1, 1));
  return header_of({chunk("VP8X", "\x02" + std::string(9, '\0')), frames});
}

// The demuxer's time grows with the square of their number.
TEST(WebpHeader, RefusesMoreFramesThanAnAnimationHas) {
  const auto most = header_of_frames(4096);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->pages, 4096);
  for (const int count : {4097, 50'000}) {
    const auto header = header_of_frames(count);
    ASSERT_FALSE(header) << count;
    EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
    EXPECT_EQ(header.error().detail, "the image has more than 4096 frames");
  }
}

// The demuxer keeps a record of each, of many times its size.
TEST(WebpHeader, RefusesMoreChunksThanAPictureHas) {
  std::string unknown;
  for (int i = 0; i < 1022; ++i) unknown += chunk("none", "");
  EXPECT_TRUE(header_of({canvas(8, 8), picture(8, 8), unknown}));
  const auto header = header_of({canvas(8, 8), picture(8, 8), unknown, chunk("none", "")});
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_EQ(header.error().detail, "the image has more than 1024 chunks");
}

TEST(WebpHeader, RefusesEveryCutOffFile) {
  for (const char* suffix : {".webp[strip]", ".webp[lossless]", ".webp"}) {
    const auto source = save(gradient(40, 40).get(), suffix);
    const auto text = text_of(source);
    for (std::size_t length = 12; length < text.size(); ++length) {
      const auto header = read_webp_header(*source_of(text.substr(0, length)));
      ASSERT_FALSE(header) << suffix << " " << length;
      EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
    }
  }
}

}  // namespace
}  // namespace optimux::media
