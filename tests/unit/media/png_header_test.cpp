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

constexpr std::size_t kKibibyte = 1024;

std::string chunk(const std::string& type, std::size_t bytes) {
  std::string text;
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(bytes >> shift & 0xff);
  return text + type + std::string(bytes, 'x') + "sums";
}

// A good file with `chunks` after the signature and IHDR.
base::Result<SourceHeader> header_with(const std::string& chunks) {
  std::string text(text_of(save(gradient(4, 4).get(), ".png[strip]")));
  text.insert(33, chunks);
  return read_png_header(*source_of(text));
}

void expect_limit(const base::Result<SourceHeader>& header, const std::string& detail) {
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_EQ(header.error().detail, detail);
}

// An iTXt chunk whose text is compressed or not.
std::string international_text(bool is_compressed, std::size_t bytes) {
  std::string text = chunk("iTXt", bytes);
  text[8 + 3] = 0;
  text[8 + 4] = is_compressed ? 1 : 0;
  return text;
}

// Fifty zTXt of 48 KB each can inflate to 2.5 GB.
TEST(PngHeader, RefusesMoreCompressedTextThanAPictureHas) {
  const std::string detail = "the image has more than 262144 bytes of compressed text";
  EXPECT_TRUE(header_with(chunk("zTXt", 128 * kKibibyte) + international_text(true, 128 * kKibibyte)));
  expect_limit(header_with(chunk("zTXt", 256 * kKibibyte + 1)), detail);
  expect_limit(header_with(international_text(true, 256 * kKibibyte + 1)), detail);
  std::string bomb;
  for (int i = 0; i < 50; ++i) bomb += chunk("zTXt", 48 * kKibibyte);
  expect_limit(header_with(bomb), detail);
}

TEST(PngHeader, TakesMuchTextThatIsNotCompressed) {
  EXPECT_TRUE(header_with(chunk("tEXt", 3000 * kKibibyte) + international_text(false, 3000 * kKibibyte)));
}

TEST(PngHeader, TellsWhatTextMayTake) {
  EXPECT_EQ(header_with("")->decoder_bytes, 0U);
  EXPECT_GE(header_with(chunk("tEXt", 100'000))->decoder_bytes, 100'000U);
  EXPECT_LE(header_with(international_text(false, 100'000))->decoder_bytes, 1'000'000U);
  EXPECT_GE(header_with(chunk("zTXt", 100'000))->decoder_bytes, 100'000'000U);
  EXPECT_GE(header_with(international_text(true, 100'000))->decoder_bytes, 100'000'000U);
}

TEST(PngHeader, RefusesMoreChunksOfTextThanAPictureHas) {
  std::string chunks;
  for (int i = 0; i < 64; ++i) chunks += chunk(i % 2 == 0 ? "tEXt" : "iTXt", 2);
  EXPECT_TRUE(header_with(chunks));
  expect_limit(header_with(chunks + chunk("zTXt", 2)), "the image has more than 64 chunks of text");
}

TEST(PngHeader, RefusesAProfileThatIsTooLarge) {
  EXPECT_TRUE(header_with(chunk("iCCP", 1024 * kKibibyte)));
  expect_limit(header_with(chunk("iCCP", 1024 * kKibibyte + 1)),
               "the image has more than 1048576 bytes of colour profile (iCCP)");
}

TEST(PngHeader, RefusesSizesOfZero) {
  std::string text(text_of(save(gradient(4, 4).get(), ".png")));
  text.replace(16, 4, std::string(4, '\0'));
  EXPECT_FALSE(read_png_header(*source_of(text)));
}

}  // namespace
}  // namespace optimux::media
