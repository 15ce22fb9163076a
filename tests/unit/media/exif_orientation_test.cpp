#include "media/exif_orientation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

// A directory with one SHORT entry, the orientation.
std::string little_endian(char orientation) {
  std::string text("II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0?\0\0\0", 22);
  text[18] = orientation;
  return text;
}

std::string big_endian(char orientation) {
  std::string text("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0?\0\0", 22);
  text[19] = orientation;
  return text;
}

int orientation_in(const std::string& text) {
  return exif_orientation(*test::source_of(text));
}

TEST(ExifOrientation, ReadsBothByteOrders) {
  for (char value = 1; value <= 8; ++value) {
    EXPECT_EQ(orientation_in(little_endian(value)), value);
    EXPECT_EQ(orientation_in(big_endian(value)), value);
  }
}

TEST(ExifOrientation, SkipsThePrefixOfJpegSegments) {
  EXPECT_EQ(orientation_in(std::string("Exif\0\0", 6) + big_endian(6)), 6);
}

TEST(ExifOrientation, IsUprightWhenItIsNoWholeNumber) {
  std::string text = little_endian(6);
  for (const char type : {'\1', '\3', '\4'}) {
    text[12] = type;
    EXPECT_EQ(orientation_in(text), 6) << static_cast<int>(type);
  }
  for (const char type : {'\0', '\2', '\5', '\x0b', '\x10'}) {
    text[12] = type;
    EXPECT_EQ(orientation_in(text), 1) << static_cast<int>(type);
  }
}

TEST(ExifOrientation, IsUprightWhenDamaged) {
  EXPECT_EQ(orientation_in(""), 1);
  EXPECT_EQ(orientation_in("garbage"), 1);
  EXPECT_EQ(orientation_in(little_endian(0)), 1);
  EXPECT_EQ(orientation_in(little_endian(9)), 1);
  EXPECT_EQ(orientation_in(little_endian(6).substr(0, 15)), 1);
}

}  // namespace
}  // namespace optimux::media
