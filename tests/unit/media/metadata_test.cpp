#include "media/metadata.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::render;
using test::save;

/// A JPEG with copyright, artist, a camera model and a comment.
SourceBuffer labelled_source() {
  const auto image = gradient(40, 30);
  vips_image_set_string(image.get(), "exif-ifd0-Copyright", "(c) Ada");
  vips_image_set_string(image.get(), "exif-ifd0-Artist", "Ada Lovelace");
  vips_image_set_string(image.get(), "exif-ifd0-Model", "Box Brownie");
  vips_image_set_string(image.get(), "exif-ifd3-GPSDateStamp", "2020:01:01");
  vips_image_set_int(image.get(), VIPS_META_ORIENTATION, 6);
  return save(image.get(), ".jpg");
}

std::string field(VipsImage* image, const char* name) {
  const char* value = nullptr;
  if (vips_image_get_typeof(image, name) == 0 || vips_image_get_string(image, name, &value) != 0) return {};
  return value;
}

constexpr std::array kFormatsWithExif = {Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif};

TEST(Metadata, KeepsCopyrightAndArtistAlone) {
  for (const Format format : kFormatsWithExif) {
    const auto rendered = render(labelled_source(), {.format = format});
    ASSERT_TRUE(rendered.report) << name_of(format);
    const auto image = rendered.image();
    EXPECT_EQ(field(image.get(), "exif-ifd0-Copyright").rfind("(c) Ada", 0), 0U) << name_of(format);
    EXPECT_EQ(field(image.get(), "exif-ifd0-Artist").rfind("Ada Lovelace", 0), 0U) << name_of(format);
    EXPECT_EQ(rendered.bytes().find("Brownie"), std::string::npos) << name_of(format);
    EXPECT_EQ(rendered.bytes().find("2020:01:01"), std::string::npos) << name_of(format);
  }
}

// Not WebP: libvips 8.14.1 ignores its `strip` and writes an EXIF block of its own with the resolution.
TEST(Metadata, WritesNoneWhenThereIsNoCopyright) {
  for (const Format format : {Format::kJpeg, Format::kPng, Format::kAvif}) {
    const auto rendered = render(save(gradient(40, 30).get(), ".jpg"), {.format = format});
    ASSERT_TRUE(rendered.report);
    EXPECT_EQ(vips_image_get_typeof(rendered.image().get(), VIPS_META_EXIF_NAME), 0U) << name_of(format);
  }
}

TEST(Metadata, KeepsTheRestWhenNotStripping) {
  for (const Format format : kFormatsWithExif) {
    const auto rendered = render(labelled_source(), {.format = format, .strip = false});
    ASSERT_TRUE(rendered.report) << name_of(format);
    const auto image = rendered.image();
    EXPECT_EQ(field(image.get(), "exif-ifd0-Model").rfind("Box Brownie", 0), 0U) << name_of(format);
  }
}

TEST(Metadata, NeverTurnsAPictureTwice) {
  for (const bool strip : {true, false}) {
    for (const Format format : kFormatsWithExif) {
      const auto rendered = render(labelled_source(), {.format = format, .strip = strip});
      ASSERT_TRUE(rendered.report);
      EXPECT_EQ(rendered.head().width, 30);
      const auto info = test::executor().inspect(test::source_of(rendered.bytes()), {});
      ASSERT_TRUE(info);
      EXPECT_EQ(info->orientation, 1) << name_of(format);
      EXPECT_EQ(info->width, 30) << name_of(format);
    }
  }
}

TEST(Metadata, NeverKeepsAProfileThatIsNoLongerTrue) {
  const auto rendered =
      render(save(gradient(40, 30).get(), ".jpg[profile=p3]"), {.format = Format::kJpeg, .strip = false});
  ASSERT_TRUE(rendered.report);
  EXPECT_EQ(vips_image_get_typeof(rendered.image().get(), VIPS_META_ICC_NAME), 0U);
}

}  // namespace
}  // namespace optimux::media
