#include "media/heif_header.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::gradient_with_alpha;
using test::save;
using test::source_of;
using test::text_of;

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
          static_cast<char>(value)};
}

// Position of the text after `type`, of its occurrence number `index`.
std::size_t after(const std::string& file, std::string_view type, int index = 0) {
  std::size_t position = file.find(type);
  for (; index > 0 && position != std::string::npos; --index) position = file.find(type, position + 1);
  EXPECT_NE(position, std::string::npos) << type;
  return position == std::string::npos ? 0 : position + type.size();
}

void set_size(std::string& file, std::uint32_t width, std::uint32_t height) {
  file.replace(after(file, "ispe") + 4, 8, big_endian(width) + big_endian(height));
}

// Adds a second size to the properties, as the item of a tile or of alpha would have it, and moves the data.
std::string with_second_size(std::string file, std::uint32_t width, std::uint32_t height) {
  const std::string box = big_endian(20) + "ispe" + big_endian(0) + big_endian(width) + big_endian(height);
  const auto grow = [&file, &box](std::string_view type) {
    const std::size_t size = after(file, type) - 8;
    const auto byte = [&file, size](std::size_t i) {
      return std::uint32_t{static_cast<unsigned char>(file[size + i])};
    };
    const std::uint32_t old = byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3);
    file.replace(size, 4, big_endian(old + static_cast<std::uint32_t>(box.size())));
    return size + old;
  };
  grow("meta");
  grow("iprp");
  file.insert(grow("ipco"), box);
  // The one item's extent, in the box of locations: its offset follows 16 bytes of versions, widths and counts.
  const std::size_t data = after(file, "mdat");
  const std::size_t offset = after(file, "iloc") + 16;
  const std::size_t by_base = file.find(big_endian(static_cast<std::uint32_t>(data - box.size())), offset - 6);
  EXPECT_LT(by_base, offset + 8);
  file.replace(by_base, 4, big_endian(static_cast<std::uint32_t>(data)));
  return file;
}

bool is_broken(const base::Result<SourceHeader>& header) {
  return !header && header.error().code == base::ErrorCode::kBrokenMedia;
}

std::string avif(int width, int height) {
  return std::string(text_of(save(gradient(width, height).get(), ".avif[effort=0]")));
}

TEST(HeifHeader, ReadsAvif) {
  const auto header = read_heif_header(*save(gradient(137, 91).get(), ".avif[effort=0]"), Format::kAvif);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->format, Format::kAvif);
  EXPECT_EQ(header->width, 137);
  EXPECT_EQ(header->height, 91);
  EXPECT_EQ(header->orientation, 1);
  EXPECT_FALSE(header->has_alpha);
}

TEST(HeifHeader, SeesAlpha) {
  const auto header = read_heif_header(*save(gradient_with_alpha(64, 64).get(), ".avif[effort=0]"), Format::kAvif);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_alpha);
}

TEST(HeifHeader, RefusesEveryCutOffFile) {
  const auto source = save(gradient(64, 64).get(), ".avif[effort=0]");
  const auto text = text_of(source);
  for (std::size_t length = 12; length < text.size(); ++length) {
    EXPECT_FALSE(read_heif_header(*source_of(text.substr(0, length)), Format::kAvif)) << length;
  }
}

TEST(HeifHeader, RefusesFramesThatAreLargerThanTheirItem) {
  for (const auto& [width, height] : {std::pair{64U, 64U}, {136U, 91U}, {137U, 90U}}) {
    std::string file = avif(137, 91);
    set_size(file, width, height);
    EXPECT_TRUE(is_broken(read_heif_header(*source_of(file), Format::kAvif))) << width << "x" << height;
  }
}

TEST(HeifHeader, RefusesAnItemFarLargerThanThePrimaryOne) {
  const std::string file = avif(137, 91);
  EXPECT_TRUE(read_heif_header(*source_of(with_second_size(file, 512, 512)), Format::kAvif));
  EXPECT_TRUE(is_broken(read_heif_header(*source_of(with_second_size(file, 8192, 8192)), Format::kAvif)));
  EXPECT_TRUE(is_broken(read_heif_header(*source_of(with_second_size(file, 0xffffffff, 0xffffffff)), Format::kAvif)));
}

TEST(HeifHeader, RefusesASecondSequenceHeaderThatIsLarger) {
  // Section 5.5.1 of AV1: a still of 16 bits a side, level 0, 8192x8192, written after a unit with the picture.
  const std::string larger = {'\x0a', '\x07', '\x18', '\x3f', '\xc7', '\xff', '\xc7', '\xff', '\xc0'};
  std::string file = avif(137, 91);
  const std::size_t data = after(file, "mdat");
  ASSERT_EQ(file.substr(data, 2), std::string("\x12\x00", 2));
  file.replace(data, larger.size(), larger);
  const auto header = read_heif_header(*source_of(file), Format::kAvif);
  ASSERT_TRUE(is_broken(header));
  EXPECT_NE(header.error().cause.find("larger"), std::string::npos) << header.error().cause;
}

// A HEIC, of one item where the sides are even; empty where libheif has no HEVC encoder.
std::string heic(int width, int height) {
  void* data = nullptr;
  std::size_t size = 0;
  if (vips_image_write_to_buffer(gradient(width, height).get(), ".heic[compression=hevc]", &data, &size, nullptr) !=
      0) {
    vips_error_clear();
    return {};
  }
  std::string file(static_cast<const char*>(data), size);
  g_free(data);
  return file;
}

TEST(HeifHeader, ReadsHeic) {
  for (const auto& [width, height] : {std::pair{128, 96}, {137, 91}}) {
    const std::string file = heic(width, height);
    if (file.empty()) GTEST_SKIP() << "no HEVC encoder here";
    const auto header = read_heif_header(*source_of(file), Format::kHeic);
    ASSERT_TRUE(header) << header.error().cause;
    EXPECT_EQ(header->width, width);
    EXPECT_EQ(header->height, height);
    const auto rendered = test::render(source_of(file), {.format = Format::kPng});
    ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
    EXPECT_LT(test::mean_difference(rendered.image().get(), gradient(width, height).get()), 8);
  }
}

TEST(HeifHeader, RefusesHevcFramesThatAreLargerThanTheirItem) {
  const std::string good = heic(512, 384);
  if (good.empty()) GTEST_SKIP() << "no HEVC encoder here";
  for (const auto& [width, height] : {std::pair{64U, 64U}, {448U, 384U}, {512U, 320U}}) {
    std::string file = good;
    set_size(file, width, height);
    const auto header = read_heif_header(*source_of(file), Format::kHeic);
    ASSERT_TRUE(is_broken(header)) << width << "x" << height;
    EXPECT_NE(header.error().cause.find("HEVC frames larger"), std::string::npos) << header.error().cause;
  }
}

TEST(HeifHeader, RefusesALargerParameterSetAmongTheData) {
  const std::string larger = heic(1024, 768);
  std::string file = heic(128, 96);
  if (file.empty()) GTEST_SKIP() << "no HEVC encoder here";
  const std::size_t set = after(larger, std::string("\x42\x01\x01", 3)) - 3;
  const auto size = static_cast<std::size_t>(static_cast<unsigned char>(larger[set - 2])) << 8U |
                    static_cast<unsigned char>(larger[set - 1]);
  const std::size_t data = after(file, "mdat");
  file.replace(data, size + 4, big_endian(static_cast<std::uint32_t>(size)) + larger.substr(set, size));
  const auto header = read_heif_header(*source_of(file), Format::kHeic);
  ASSERT_TRUE(is_broken(header));
  EXPECT_NE(header.error().cause.find("HEVC frames larger"), std::string::npos) << header.error().cause;
}

// libheif wraps what has odd sides into a grid of one tile.
TEST(HeifHeader, RefusesACanvasThatIsLargerThanItsItem) {
  std::string file = heic(137, 91);
  if (file.empty()) GTEST_SKIP() << "no HEVC encoder here";
  file.replace(after(file, "idat") + 4, 2, "\x7f\xff");
  const auto header = read_heif_header(*source_of(file), Format::kHeic);
  ASSERT_TRUE(is_broken(header));
  EXPECT_NE(header.error().cause.find("canvas"), std::string::npos) << header.error().cause;
}

TEST(HeifHeader, ReadsNoHevcOutOfBoundsWhateverByteIsWrong) {
  const std::string file = heic(64, 64);
  for (std::size_t position = 0; position < file.size(); ++position) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[position] = value;
      const auto header = read_heif_header(*source_of(damaged), Format::kHeic);
      EXPECT_TRUE(!header || header->width > 0) << position;
    }
  }
}

// Decoders keep a record of each, of ten times its size.
TEST(HeifHeader, RefusesMoreBoxesThanAPictureHas) {
  const std::string empty = big_endian(8) + "free";
  std::string boxes;
  for (int i = 0; i < 16'384; ++i) boxes += empty;
  const auto header = read_heif_header(*source_of(avif(64, 64) + boxes), Format::kAvif);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().detail, "the image has more than 16384 boxes");
  EXPECT_TRUE(read_heif_header(*source_of(avif(64, 64) + boxes.substr(0, 8000)), Format::kAvif));
  const std::string meta = big_endian(static_cast<std::uint32_t>(boxes.size() + 20)) + "meta" + big_endian(0);
  const auto inside = read_heif_header(
      *source_of(big_endian(16) + "ftypavif" + big_endian(0) + meta + boxes + empty + empty.substr(0, 4) + "mdat"),
      Format::kAvif);
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().detail, "the image has more than 16384 boxes");
}

TEST(HeifHeader, ReadsNothingOutOfBoundsWhateverByteIsWrong) {
  const std::string file = avif(64, 64);
  for (std::size_t position = 0; position < file.size(); ++position) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[position] = value;
      const auto header = read_heif_header(*source_of(damaged), Format::kAvif);
      EXPECT_TRUE(!header || header->width > 0) << position;
    }
  }
}

TEST(HeifHeader, ReadsFilesOfOtherEncoders) {
  const char* given = std::getenv("OPTIMUX_CORPUS");  // NOLINT(concurrency-mt-unsafe): nothing sets it.
  const auto folder = std::filesystem::path(given != nullptr ? given : OPTIMUX_DEFAULT_CORPUS) / "odd";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".avif") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string file(std::istreambuf_iterator<char>(stream), {});
    EXPECT_TRUE(read_heif_header(*source_of(file), Format::kAvif)) << entry.path();
  }
}

}  // namespace
}  // namespace optimux::media
