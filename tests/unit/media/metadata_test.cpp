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

std::string blob(VipsImage* image, const char* name) {
  const void* data = nullptr;
  std::size_t size = 0;
  if (vips_image_get_typeof(image, name) == 0 || vips_image_get_blob(image, name, &data, &size) != 0) return {};
  return {static_cast<const char*>(data), size};
}

void set_blob(VipsImage* image, const char* name, const std::string& value) {
  vips_image_set_blob_copy(image, name, value.data(), value.size());
}

TEST(Metadata, KeepsTheCopyrightOfXmpAndNothingElseOfIt) {
  const auto image = gradient(40, 30);
  set_blob(image.get(), VIPS_META_XMP_NAME,
           "<x:xmpmeta><dc:rights><rdf:Alt><rdf:li>(c) Ada</rdf:li></rdf:Alt></dc:rights><secret/></x:xmpmeta>");
  for (const Format format : kFormatsWithExif) {
    const auto rendered = render(save(image.get(), ".jpg"), {.format = format});
    ASSERT_TRUE(rendered.report) << name_of(format);
    // libvips does not read it back from an AVIF, where it stands as it is.
    const std::string xmp =
        format == Format::kAvif ? rendered.bytes() : blob(rendered.image().get(), VIPS_META_XMP_NAME);
    EXPECT_NE(xmp.find(">(c) Ada</rdf:li>"), std::string::npos) << name_of(format);
    EXPECT_EQ(rendered.bytes().find("secret"), std::string::npos) << name_of(format);
  }
}

TEST(Metadata, KeepsTheCopyrightOfIptcAsXmp) {
  const auto image = gradient(40, 30);
  const std::string records("\x1c\x02\x05\0\x06secret\x1c\x02\x74\0\x07(c) Ada", 23);
  set_blob(image.get(), VIPS_META_IPTC_NAME,
           std::string("Photoshop 3.0\0"
                       "8BIM\x04\x04\0\0\0\0\0\x17",
                       26) +
               records + '\0');
  const auto rendered = render(save(image.get(), ".jpg"), {.format = Format::kWebp});
  ASSERT_TRUE(rendered.report);
  EXPECT_NE(blob(rendered.image().get(), VIPS_META_XMP_NAME).find(">(c) Ada</rdf:li>"), std::string::npos);
  EXPECT_EQ(rendered.bytes().find("secret"), std::string::npos);
}

TEST(Metadata, SaysThatColoursAreSrgb) {
  for (const bool strip : {true, false}) {
    for (const Format format : kFormatsWithExif) {
      const auto rendered = render(labelled_source(), {.format = format, .strip = strip});
      ASSERT_TRUE(rendered.report);
      EXPECT_EQ(field(rendered.image().get(), "exif-ifd2-ColorSpace").rfind("1 (sRGB", 0), 0U)
          << name_of(format) << " " << field(rendered.image().get(), "exif-ifd2-ColorSpace");
    }
  }
}

// No JPEG can hold it, and libvips fails on it after the first bytes have been promised.
TEST(Metadata, DropsAnExifBlockThatIsTooLarge) {
  const auto image = gradient(40, 30);
  for (const std::size_t size : {std::size_t{70'000}, std::size_t{2'000'000}}) {
    set_blob(image.get(), VIPS_META_EXIF_NAME,
             std::string("Exif\0\0II\x2a\0\x08\0\0\0\0\0\0\0\0\0", 20) + std::string(size, 'x'));
    const auto labelled = label(image.get(), false);
    ASSERT_TRUE(labelled);
    EXPECT_LT(blob(labelled->image.get(), VIPS_META_EXIF_NAME).size(), 1000U);
  }
}

TEST(Metadata, RendersAPictureWhoseExifBlockIsTooLarge) {
  for (const std::size_t size : {std::size_t{70'000}, std::size_t{2'000'000}}) {
    std::string png(test::text_of(save(gradient(40, 30).get(), ".png[strip]")));
    std::string length;
    for (const int shift : {24, 16, 8, 0}) length += static_cast<char>((size + 14) >> shift & 0xff);
    png.insert(33, length + std::string("eXIfII\x2a\0\x08\0\0\0\0\0\0\0\0\0", 18) + std::string(size, 'x') + "sums");
    for (const Format format : kFormatsWithExif) {
      const auto rendered = render(test::source_of(png), {.format = format, .strip = false});
      EXPECT_TRUE(rendered.report) << name_of(format) << " " << rendered.report.error().cause;
    }
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
