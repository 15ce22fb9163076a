#include "media/heif_items.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "media/heif_av1_sequence.hpp"
#include "media/heif_header.hpp"
#include "media/heif_hevc_sequence.hpp"
#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::save;
using test::source_of;
using test::text_of;

std::string big_endian(std::size_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xffU);
  return text;
}

std::string box(const std::string& type, const std::string& payload) {
  return big_endian(payload.size() + 8, 4) + type + payload;
}

std::string full_box(const std::string& type, const std::string& payload, int version = 0) {
  return box(type, std::string(1, static_cast<char>(version)) + std::string(3, '\0') + payload);
}

std::string reference(std::size_t from, const std::vector<std::size_t>& parts, const std::string& type = "dimg") {
  std::string payload = big_endian(from, 2) + big_endian(parts.size(), 2);
  for (const std::size_t part : parts) payload += big_endian(part, 2);
  return box(type, payload);
}

struct FileItem {
  std::string type;
  std::string data;
};

// A file of items with the ids 1, 2 and so on, the first of which is the primary one: coded ones of 64x64 pixels, and
// derived ones whose sides are given.
std::string file_of(const std::vector<FileItem>& items, const std::string& references, std::size_t side = 64) {
  static const std::string kCoded(text_of(save(gradient(64, 64).get(), ".avif[effort=0]")));
  const std::size_t av1_configuration = kCoded.find("av1C") - 4;
  const std::string properties =
      full_box("ispe", big_endian(side, 4) + big_endian(side, 4)) +
      kCoded.substr(av1_configuration, static_cast<std::size_t>(kCoded[av1_configuration + 3])) +
      full_box("ispe", big_endian(64, 4) + big_endian(64, 4));
  std::string entries;
  std::string associations;
  std::string locations;
  std::string data;
  for (std::size_t id = 1; const FileItem& item : items) {
    const std::string bytes = item.type == "av01" ? kCoded.substr(kCoded.find("mdat") + 4) : item.data;
    entries += full_box("infe", big_endian(id, 2) + big_endian(0, 2) + item.type + '\0', 2);
    associations += big_endian(id, 2) + (item.type == "av01" ? "\2\3\2" : "\1\1");
    // In the idat box, without a base offset, one extent.
    locations += big_endian(id, 2) + big_endian(1, 2) + big_endian(0, 2) + big_endian(1, 2) +
                 big_endian(data.size(), 4) + big_endian(bytes.size(), 4);
    data += bytes;
    ++id;
  }
  const std::string count = big_endian(items.size(), 2);
  const std::string meta =
      full_box("hdlr", std::string(4, '\0') + "pict" + std::string(13, '\0')) + full_box("pitm", big_endian(1, 2)) +
      full_box("iloc", big_endian(0x4400, 2) + count + locations, 1) + full_box("iinf", count + entries) +
      box("iprp", box("ipco", properties) + full_box("ipma", big_endian(items.size(), 4) + associations)) +
      (references.empty() ? "" : full_box("iref", references)) + box("idat", data);
  return box("ftyp", "avif" + std::string(4, '\0') + "mif1avif") + full_box("meta", meta);
}

FileItem grid(std::size_t rows, std::size_t columns) {
  return {"grid", big_endian(0, 2) + big_endian(rows - 1, 1) + big_endian(columns - 1, 1) + big_endian(64, 2) +
                      big_endian(64, 2)};
}

FileItem overlay(std::size_t parts) {
  return {"iovl", big_endian(0, 2) + std::string(8, '\0') + big_endian(64, 2) + big_endian(64, 2) +
                      std::string(4 * parts, '\0')};
}

FileItem coded_item() {
  return {"av01", {}};
}

FileItem identity() {
  return {"iden", "x"};
}

base::Result<SourceHeader> header_of(const std::vector<FileItem>& items, const std::string& references) {
  return read_heif_header(*source_of(file_of(items, references)), Format::kAvif);
}

void expect_broken(const base::Result<SourceHeader>& header, std::string_view cause) {
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  EXPECT_NE(header.error().cause.find(cause), std::string::npos) << header.error().cause;
}

TEST(HeifItems, TakesPicturesThatAreDerivedFromCodedOnes) {
  const auto plain = header_of({coded_item()}, "");
  ASSERT_TRUE(plain) << plain.error().cause;
  for (const FileItem& derived : {grid(1, 1), overlay(1), identity()}) {
    const auto header = header_of({derived, coded_item()}, reference(1, {2}));
    ASSERT_TRUE(header) << derived.type << ": " << header.error().cause;
    EXPECT_EQ(header->width, 64);
  }
  const auto rendered = test::render(source_of(file_of({grid(1, 1), coded_item()}, reference(1, {2}))), {});
  EXPECT_TRUE(rendered.report) << rendered.report.error().cause;
}

// libheif 1.15 follows them until the stack is used up.
TEST(HeifItems, RefusesItemsThatReferToEachOther) {
  for (const FileItem& derived : {grid(1, 1), overlay(1), identity()}) {
    expect_broken(header_of({derived, derived}, reference(1, {2}) + reference(2, {1})), "not coded");
    expect_broken(header_of({derived}, reference(1, {1})), "not coded");
  }
}

TEST(HeifItems, RefusesOverlaysOfOverlays) {
  expect_broken(header_of({overlay(2), overlay(2), coded_item()}, reference(1, {2, 2}) + reference(2, {3, 3})),
                "not coded");
}

// libheif 1.15 ends the process.
TEST(HeifItems, RefusesPartsThatAreNoPictures) {
  expect_broken(header_of({overlay(2), coded_item()}, reference(1, {2, 9})), "no picture");
  expect_broken(header_of({overlay(2), coded_item(), {"Exif", "abcd"}}, reference(1, {2, 3})), "no picture");
}

// The first item, made of so many times the second one, on a canvas with these sides.
base::Result<SourceHeader> header_of_parts(const FileItem& derived, std::size_t parts, std::size_t side) {
  const auto references = reference(1, std::vector<std::size_t>(parts, 2));
  return read_heif_header(*source_of(file_of({derived, coded_item()}, references, side)), Format::kAvif);
}

void expect_most_parts(const FileItem& derived, std::size_t most, std::size_t side) {
  EXPECT_TRUE(header_of_parts(derived, most, side)) << derived.type << " of " << most;
  const auto header = header_of_parts(derived, most + 1, side);
  ASSERT_FALSE(header) << derived.type << " of " << most + 1;
  EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_EQ(header.error().detail, "the image has more than " + std::to_string(most) + " parts of an item");
}

// Each costs the start of a decoder.
TEST(HeifItems, BoundsThePartsOfAnItem) {
  expect_most_parts(overlay(1), 64, 64);
  expect_most_parts(overlay(1), 64, 4096);
  expect_most_parts(grid(1, 1), 64, 64);
  expect_most_parts(grid(1, 1), 64 + 16, 1024);
  expect_most_parts(grid(1, 1), 1024, 16'384);
}

// libheif takes as many entries as the reference says it has, whatever the size of its box.
TEST(HeifItems, RefusesReferencesThatAreLongerThanTheirBox) {
  std::string longer = reference(1, {2});
  longer[11] = 2;
  expect_broken(header_of({grid(1, 1), coded_item()}, longer + reference(2, {1})), "references");
  expect_broken(header_of({grid(1, 1), coded_item()}, reference(1, {2}) + "abc"), "references");
}

// A picture with a tone map is one for decoders that do not know it.
TEST(HeifItems, LeavesItemsAloneThatDecodersDoNotMake) {
  EXPECT_TRUE(header_of({grid(1, 1), coded_item(), {"tmap", "x"}}, reference(1, {2}) + reference(3, {1, 2})));
  EXPECT_TRUE(header_of({coded_item(), coded_item()}, reference(2, {1}, "thmb")));
}

// A unit of AV1 without a payload: its header, and its length of 0.
std::string empty_av1_unit(int type) {
  return std::string{static_cast<char>(type << 3 | 2), '\0'};
}

// dav1d decodes frames until one is to be shown.
TEST(HeifItems, RefusesMoreAv1FramesThanAPictureHasLayers) {
  for (const int type : {3, 6}) {
    std::string frames;
    for (int i = 0; i < 8; ++i) frames += empty_av1_unit(type);
    EXPECT_TRUE(heif::check_av1_units(*source_of(frames), {64, 64}));
    EXPECT_FALSE(heif::check_av1_units(*source_of(frames + empty_av1_unit(type)), {64, 64}));
  }
}

std::string unit(int type, char first_payload_byte) {
  return big_endian(3, 4) + static_cast<char>(type << 1) + '\1' + first_payload_byte;
}

base::Status check_units(const std::string& units) {
  std::uint64_t pixels_left = UINT64_MAX;
  return heif::check_hevc_units(*source_of(units), {64, 64}, pixels_left);
}

// libde265 decodes all of them.
TEST(HeifItems, RefusesMoreThanOneHevcPicture) {
  constexpr int kSlice = 19;
  const std::string first = unit(kSlice, '\x80');
  EXPECT_TRUE(check_units(first));
  EXPECT_FALSE(check_units(first + first));
  std::string slices = first;
  for (int i = 1; i < 32; ++i) slices += unit(kSlice, '\0');
  EXPECT_TRUE(check_units(slices));
  EXPECT_FALSE(check_units(slices + unit(kSlice, '\0')));
}

// Each of them may cover the whole picture.
TEST(HeifItems, BoundsWhatFurtherSlicesCover) {
  constexpr int kSlice = 19;
  constexpr std::uint64_t kPixels = std::uint64_t{64} * 64;
  const auto picture = source_of(unit(kSlice, '\x80') + unit(kSlice, '\0') + unit(kSlice, '\0'));
  std::uint64_t pixels_left = 5 * kPixels;
  EXPECT_TRUE(heif::check_hevc_units(*picture, {64, 64}, pixels_left));
  EXPECT_EQ(pixels_left, 3 * kPixels);
  EXPECT_TRUE(heif::check_hevc_units(*picture, {64, 64}, pixels_left));
  EXPECT_FALSE(heif::check_hevc_units(*picture, {64, 64}, pixels_left));
}

// So that 192 tiles of 32 slices each do not cost 32 pictures.
TEST(HeifItems, AllHevcItemsShareWhatFurtherSlicesMayCover) {
  constexpr int kSlice = 19;
  std::string slices = unit(kSlice, '\x80');
  for (int i = 1; i < 32; ++i) slices += unit(kSlice, '\0');
  const auto file = [&slices](std::size_t count) {
    // Each of 512x512 pixels, as nothing but a coded AV1 item is smaller here.
    return read_heif_header(*source_of(file_of(std::vector<FileItem>(count, {"hev1", slices}), "", 512)),
                            Format::kHeic);
  };
  EXPECT_TRUE(file(7)) << file(7).error().cause;
  expect_broken(file(8), "slices");
}

TEST(HeifItems, RefusesAnHevcPictureAmongTheParameters) {
  const auto check = [](int type) {
    const std::string configuration =
        std::string(21, '\0') + "\3\1" + '\0' + big_endian(1, 2) + big_endian(3, 2) + unit(type, '\x80').substr(4);
    return heif::check_hevc_configuration(*source_of(configuration), {64, 64});
  };
  EXPECT_TRUE(check(39));
  EXPECT_FALSE(check(19));
}

}  // namespace
}  // namespace optimux::media
