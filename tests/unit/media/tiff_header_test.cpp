#include "media/tiff_header.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// A TIFF of pages of one grey strip of one row, with the given widths.
std::string pages_of_widths(std::initializer_list<int> widths) {
  const auto number = [](int value) { return std::string{static_cast<char>(value), static_cast<char>(value >> 8)}; };
  std::string text("II\x2a\0\x08\0\0\0", 8);
  std::size_t left = widths.size();
  for (const int width : widths) {
    const int end = static_cast<int>(text.size()) + 2 + 2 * 12 + 4;
    text += number(2) + number(256) + number(3) + std::string("\1\0\0\0", 4) + number(width) + number(0);
    text += number(257) + number(3) + std::string("\1\0\0\0", 4) + number(1) + number(0);
    text += number(--left > 0 ? end : 0) + number(0);
  }
  return text;
}

TEST(TiffHeader, CountsThePagesThatAreLikeTheFirst) {
  const auto source = source_of(pages_of_widths({9, 9, 9, 4, 9}));
  EXPECT_EQ(read_tiff_header(*source, 0)->like_pages, 3);
  EXPECT_EQ(read_tiff_header(*source, 2)->like_pages, 1);
  EXPECT_EQ(read_tiff_header(*source, 4)->like_pages, 1);
  EXPECT_EQ(read_tiff_header(*source, 0)->pages, 5);
}

TEST(TiffHeader, TellsWhatItsStripsTake) {
  const auto image = gradient(1000, 800);
  const std::uint64_t row = 3000;
  const auto strips = read_tiff_header(*save(image.get(), ".tif"), 0);
  EXPECT_GT(strips->decoder_bytes, row);
  EXPECT_LT(strips->decoder_bytes, row * 400);
  const auto tiles = read_tiff_header(*save(image.get(), ".tif[tile,tile-width=256,tile-height=256]"), 0);
  EXPECT_GE(tiles->decoder_bytes, row * 256 * 3);
  EXPECT_LT(tiles->decoder_bytes, row * 256 * 4);
  EXPECT_EQ(tiles->samples, 3);
  // Without a number of rows all are one strip.
  EXPECT_EQ(read_tiff_header(*source_of(pages_of_widths({1000})), 0)->decoder_bytes, 2000U);
}

TEST(TiffHeader, RefusesAChainThatGoesInCircles) {
  // Little endian, a directory without entries at 8 that names itself as the next.
  const std::string text("II\x2a\0\x08\0\0\0\0\0\x08\0\0\0", 14);
  const auto header = read_tiff_header(*source_of(text), 0);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
}

std::string little_endian(std::size_t value, std::size_t bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

// A TIFF whose only directory has `entries` entries, all of them zeros, and names `next` as the one that follows.
std::string tiff_of_one_directory(std::size_t entries, std::size_t next) {
  return std::string("II\x2a\0\x08\0\0\0", 8) + little_endian(entries, 2) + std::string(entries * 12, '\0') +
         little_endian(next, 4);
}

void expect_broken(const std::string& text, std::string_view cause) {
  const auto header = read_tiff_header(*source_of(text), 0);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  EXPECT_NE(header.error().cause.find(cause), std::string::npos) << header.error().cause;
}

TEST(TiffHeader, RefusesTheLargestDirectoryThatNamesItselfAtOnce) {
  expect_broken(tiff_of_one_directory(65'535, 8), "goes in circles");
}

// Every entry of the large directory is the start of a small one that names the next entry: no offset comes twice.
TEST(TiffHeader, RefusesDirectoriesThatLieWithinEachOther) {
  constexpr std::size_t kEntries = 5000;
  std::string text = tiff_of_one_directory(kEntries, 10);
  for (std::size_t i = 0; i < kEntries; ++i) {
    const std::size_t at = 10 + i * 12;
    // No entries of its own, then the offset of the next.
    text.replace(at, 6, little_endian(0, 2) + little_endian(i + 1 < kEntries ? at + 12 : 0, 4));
  }
  EXPECT_FALSE(read_tiff_header(*source_of(text), 0));
  expect_broken(text, "within each other");
}

TEST(TiffHeader, RefusesMorePagesThanADocumentHas) {
  std::string text("II\x2a\0\x08\0\0\0", 8);
  for (int page = 0; page <= 10'000; ++page) text += little_endian(0, 2) + little_endian(text.size() + 6, 4);
  expect_broken(text + std::string(6, '\0'), "too many");
}

TEST(TiffHeader, RefusesMoreSamplesThanAPictureHas) {
  // The one entry is SamplesPerPixel, a short of 200.
  const std::string entry = little_endian(277, 2) + little_endian(3, 2) + little_endian(1, 4) + little_endian(200, 4);
  std::string text = tiff_of_one_directory(1, 0);
  text.replace(10, entry.size(), entry);
  expect_broken(text, "too many samples");
}

struct Entry {
  std::size_t tag = 0;
  std::size_t type = 3;
  std::size_t count = 1;
  std::size_t value = 16;
};

// A TIFF whose pages have these entries.
std::string tiff_of(const std::vector<std::vector<Entry>>& pages) {
  std::string text("II\x2a\0\x08\0\0\0", 8);
  std::size_t left = pages.size();
  for (const auto& entries : pages) {
    const std::size_t end = text.size() + 2 + entries.size() * 12 + 4;
    text += little_endian(entries.size(), 2);
    for (const auto& [tag, type, count, value] : entries) {
      text += little_endian(tag, 2) + little_endian(type, 2) + little_endian(count, 4) + little_endian(value, 4);
    }
    text += little_endian(--left > 0 ? end : 0, 4);
  }
  return text;
}

base::Result<SourceHeader> header_of(const std::vector<std::vector<Entry>>& pages, int page = 0) {
  return read_tiff_header(*source_of(tiff_of(pages)), page);
}

// Width, height, bits, samples, rows of a strip, and the sides of a tile: what the cost of decoding follows from.
std::vector<Entry> plain_entries() {
  return {{256}, {257}, {258, 3, 1, 8}, {277, 3, 1, 3}, {278}, {322}, {323}};
}

// libtiff takes numbers of 64 bits from an offset, and signed ones.
TEST(TiffHeader, RefusesNumbersOfTypesThatPicturesDoNotHave) {
  for (std::size_t i = 0; i < plain_entries().size(); ++i) {
    auto entries = plain_entries();
    for (const std::size_t type : {1U, 3U, 4U}) {
      entries[i].type = type;
      EXPECT_TRUE(header_of({entries})) << entries[i].tag << " as " << type;
    }
    for (const std::size_t type : {0U, 2U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U, 13U, 16U, 17U, 18U, 0x103U}) {
      entries[i].type = type;
      expect_broken(tiff_of({entries}), "type or count");
    }
  }
}

TEST(TiffHeader, RefusesSeveralNumbersWherePicturesHaveOne) {
  for (std::size_t i = 0; i < plain_entries().size(); ++i) {
    auto entries = plain_entries();
    if (entries[i].tag == 258) continue;  // BitsPerSample has one for each sample.
    for (const std::size_t count : {0U, 2U}) {
      entries[i].count = count;
      expect_broken(tiff_of({entries}), "type or count");
    }
  }
}

TEST(TiffHeader, TakesTheFirstOfSeveralBits) {
  auto entries = plain_entries();
  // In the entry itself, at an offset where the file begins with II and 42, and past the end.
  entries[2] = {258, 3, 2, 8};
  EXPECT_EQ(header_of({entries})->bits, 8);
  entries[2] = {258, 3, 3, 2};
  EXPECT_EQ(header_of({entries})->bits, 42);
  entries[2] = {258, 3, 3, 10'000};
  expect_broken(tiff_of({entries}), "type or count");
}

TEST(TiffHeader, TakesTheFirstOfTwoEntriesOfATag) {
  auto entries = plain_entries();
  entries.push_back({277, 16, 1, 4});
  EXPECT_EQ(header_of({entries})->samples, 3);
}

TEST(TiffHeader, DoesNotCountAPageOfOddNumbersAsOneLikeTheFirst) {
  auto odd = plain_entries();
  odd[4] = {278, 16};
  EXPECT_EQ(header_of({plain_entries(), plain_entries()})->like_pages, 2);
  EXPECT_EQ(header_of({plain_entries(), odd})->like_pages, 1);
  EXPECT_FALSE(header_of({plain_entries(), odd}, 1));
}

TEST(TiffHeader, SeesAProfile) {
  EXPECT_TRUE(read_tiff_header(*save(gradient(4, 4).get(), ".tif[profile=srgb]"), 0)->has_profile);
  EXPECT_FALSE(read_tiff_header(*save(gradient(4, 4).get(), ".tif[strip]"), 0)->has_profile);
}

TEST(TiffHeader, RefusesAFileWithoutADirectory) {
  expect_broken(std::string("II\x2a\0\0\0\0\0", 8), "no directory");
}

TEST(TiffHeader, SaysHowManyPagesThereAre) {
  const auto missing = read_tiff_header(*save(gradient(4, 4).get(), ".tif"), 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().detail, "page: the image has 1 page, counted from 0");
}

TEST(TiffHeader, RefusesADirectoryPastTheEnd) {
  EXPECT_FALSE(read_tiff_header(*source_of(std::string("II\x2a\0\xff\0\0\0", 8)), 0));
  EXPECT_FALSE(read_tiff_header(*source_of(std::string("MM\0\x2a\0\0\0\x08\0\xff", 10)), 0));
}

}  // namespace
}  // namespace optimux::media
