#include "media/sniff.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace optimux::media {
namespace {

using std::string_view_literals::operator""sv;

base::Result<Format> sniff_text(std::string_view text) {
  return sniff({reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

TEST(Sniff, KnowsEveryFormatByItsFirstBytes) {
  EXPECT_EQ(sniff_text("\xff\xd8\xff\xe0"sv), Format::kJpeg);
  EXPECT_EQ(sniff_text("\x89PNG\r\n\x1a\n"sv), Format::kPng);
  EXPECT_EQ(sniff_text("GIF87a"sv), Format::kGif);
  EXPECT_EQ(sniff_text("GIF89a"sv), Format::kGif);
  EXPECT_EQ(sniff_text("RIFF\x10\0\0\0WEBPVP8 "sv), Format::kWebp);
  EXPECT_EQ(sniff_text("II\x2a\0\x08\0\0\0"sv), Format::kTiff);
  EXPECT_EQ(sniff_text("MM\0\x2a\0\0\0\x08"sv), Format::kTiff);
  EXPECT_EQ(sniff_text("\0\0\0\x14"
                       "ftypavif\0\0\0\0mif1"sv),
            Format::kAvif);
  EXPECT_EQ(sniff_text("\0\0\0\x14"
                       "ftypheic\0\0\0\0mif1"sv),
            Format::kHeic);
}

TEST(Sniff, TakesTheCodecFromTheCompatibleBrands) {
  EXPECT_EQ(sniff_text("\0\0\0\x18"
                       "ftypmif1\0\0\0\0mif1avif"sv),
            Format::kAvif);
  EXPECT_EQ(sniff_text("\0\0\0\x18"
                       "ftypmif1\0\0\0\0miafheic"sv),
            Format::kHeic);
}

TEST(Sniff, DoesNotTakeTheMinorVersionForABrand) {
  EXPECT_FALSE(
      sniff_text("\0\0\0\x14"
                 "ftypisomavifmp41"sv));
}

TEST(Sniff, LooksForBrandsInsideTheirBoxOnly) {
  EXPECT_FALSE(
      sniff_text("\0\0\0\x14"
                 "ftypisom\0\0\0\0mp41avif"sv));
  EXPECT_FALSE(
      sniff_text("\xff\xff\xff\xff"
                 "ftypisom\0\0\0\0mp41"sv));
}

class SniffRefuses : public testing::TestWithParam<std::string_view> {};

TEST_P(SniffRefuses, WhatIsNotRead) {
  const auto format = sniff_text(GetParam());
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().code, base::ErrorCode::kUnsupportedMedia);
  EXPECT_NE(format.error().detail.find("read: JPEG, PNG, WebP, GIF, TIFF, HEIC and AVIF"), std::string::npos)
      << format.error().detail;
}

TEST(Sniff, SaysThatASourceIsEmpty) {
  EXPECT_EQ(sniff_text("").error().detail,
            "an empty source is not an image type that is read: JPEG, PNG, WebP, GIF, TIFF, HEIC and AVIF");
}

INSTANTIATE_TEST_SUITE_P(Types, SniffRefuses,
                         testing::Values(""sv, "\xff"sv, "\xff\xd8"sv, "<svg xmlns='http://www.w3.org/2000/svg'/>"sv,
                                         "%PDF-1.7"sv, "BM\x36\0\0\0\0\0\0\0"sv, "\x1f\x8b\x08\0"sv,
                                         "RIFF\0\0\0\0WAVE"sv, "RIFF\0\0\0\0WEB"sv, "GIF88a"sv,
                                         "\0\0\0\x0c"
                                         "ftyp"sv,
                                         "\0\0\0\x14"
                                         "ftypqt  \0\0\0\0qt  "sv,
                                         "#EXTM3U"sv, "II\x2b\0\x08\0\0\0"sv));

}  // namespace
}  // namespace optimux::media
