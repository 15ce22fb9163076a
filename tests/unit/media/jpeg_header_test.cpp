#include "media/jpeg_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::save;
using test::source_of;
using test::text_of;

TEST(JpegHeader, ReadsSizeAndKind) {
  const auto header = read_jpeg_header(*save(gradient(37, 21).get(), ".jpg[strip]"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_EQ(header->height, 21);
  EXPECT_EQ(header->colour_space, "srgb");
  EXPECT_FALSE(header->is_progressive);
  EXPECT_FALSE(header->may_warn);
  EXPECT_FALSE(header->has_profile);
}

// Decoders take the size of the first one, and stop before they see the second.
TEST(JpegHeader, RefusesASecondFrameHeader) {
  std::string text(text_of(save(gradient(37, 21).get(), ".jpg[strip]")));
  // 1 x 1 pixels of one component, before the end-of-image marker.
  text.insert(text.size() - 2, std::string("\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0", 13));
  const auto header = read_jpeg_header(*source_of(text));
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  EXPECT_NE(header.error().cause.find("second frame"), std::string::npos);
}

// Decoders skip it. Taken for the start of a segment it would hide from us what they decode.
TEST(JpegHeader, TakesAStuffedByteForNoMarker) {
  std::string text(text_of(save(gradient(37, 21).get(), ".jpg[strip]")));
  text.insert(2, std::string("\xff\0", 2));
  const auto header = read_jpeg_header(*source_of(text));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 37);
  EXPECT_TRUE(header->may_warn);
}

TEST(JpegHeader, KnowsProgressiveFiles) {
  const auto header = read_jpeg_header(*save(gradient(37, 21).get(), ".jpg[interlace]"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->is_progressive);
  EXPECT_FALSE(header->may_warn);
}

TEST(JpegHeader, ReadsTheOrientationThatExifHolds) {
  const auto image = gradient(37, 21);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    vips_image_set_int(image.get(), VIPS_META_ORIENTATION, orientation);
    const auto header = read_jpeg_header(*save(image.get(), ".jpg"));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->orientation, orientation);
  }
}

TEST(JpegHeader, SeesAProfile) {
  const auto header = read_jpeg_header(*save(gradient(8, 8).get(), ".jpg[profile=srgb]"));
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has_profile);
}

TEST(JpegHeader, RefusesEveryCutOffFile) {
  const auto source = save(gradient(40, 40).get(), ".jpg");
  const auto text = text_of(source);
  for (std::size_t length = 3; length < text.size(); ++length) {
    const auto header = read_jpeg_header(*source_of(text.substr(0, length)));
    ASSERT_FALSE(header) << length;
    EXPECT_EQ(header.error().code, base::ErrorCode::kBrokenMedia);
  }
}

// Whether the file is whole is asked once a request, when it is rendered.
TEST(JpegHeader, ReadsNoFurtherThanThePixelsWhenToldSo) {
  const std::string text(text_of(save(gradient(40, 30).get(), ".jpg")));
  const std::size_t pixels = text.find("\xff\xda");
  ASSERT_NE(pixels, std::string::npos);
  const auto header = read_jpeg_header(*source_of(text.substr(0, pixels + 14)), ReadTo::kPixels);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->width, 40);
  EXPECT_EQ(header->height, 30);
  EXPECT_FALSE(read_jpeg_header(*source_of(text.substr(0, pixels + 1)), ReadTo::kPixels));
}

TEST(JpegHeader, IgnoresWhatFollowsTheEnd) {
  const auto source = save(gradient(40, 40).get(), ".jpg");
  const auto header = read_jpeg_header(*source_of(std::string(text_of(source)) + "garbage \xff\xd8"));
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->may_warn);
}

TEST(JpegHeader, KnowsTheOdditiesThatDecodersWarnOf) {
  std::string text(text_of(save(gradient(40, 40).get(), ".jpg")));
  text.insert(2, "xx");
  const auto extraneous = read_jpeg_header(*source_of(text));
  ASSERT_TRUE(extraneous);
  EXPECT_TRUE(extraneous->may_warn);

  std::string scan(text_of(save(gradient(40, 40).get(), ".jpg")));
  const std::size_t start = scan.find("\xff\xda");
  ASSERT_NE(start, std::string::npos);
  scan[start + 12] = 0;  // The end of the spectral selection, 63 in sequential files.
  const auto selection = read_jpeg_header(*source_of(scan));
  ASSERT_TRUE(selection);
  EXPECT_TRUE(selection->may_warn);
}

std::string jpeg() {
  return std::string(text_of(save(gradient(40, 40).get(), ".jpg[strip]")));
}

std::string with_segment(const std::string& segment) {
  return jpeg().insert(2, segment);
}

std::string adobe_jpeg(char transform) {
  return with_segment(std::string("\xff\xee\0\x0e"
                                  "Adobe\0\x64\0\0\0\0",
                                  15) +
                      transform);
}

std::string jfif_jpeg(char major_version) {
  return with_segment(std::string("\xff\xe0\0\x10JFIF\0", 9) + major_version + std::string("\1\0\0\1\0\1\0\0", 8));
}

TEST(JpegHeader, KnowsWhichAdobeTransformsDecodersBelieve) {
  for (const char transform : {'\0', '\1'}) EXPECT_FALSE(read_jpeg_header(*source_of(adobe_jpeg(transform)))->may_warn);
  for (const char transform : {'\2', '\3'}) EXPECT_TRUE(read_jpeg_header(*source_of(adobe_jpeg(transform)))->may_warn);
}

TEST(MendJpeg, PutsRightWhatDecodersWarnOf) {
  std::string strays = jpeg();
  strays.insert(2, "xx\xff");
  strays.insert(2, std::string("\xff\0", 2));
  std::string scan = jpeg();
  scan[scan.find("\xff\xda") + 12] = 0;
  for (const std::string& odd : {strays, scan, jfif_jpeg(2), adobe_jpeg(2), adobe_jpeg(77)}) {
    ASSERT_TRUE(read_jpeg_header(*source_of(odd))->may_warn);
    const auto mended = mend_jpeg(*source_of(odd));
    const auto header = read_jpeg_header(mended);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->width, 40);
    EXPECT_FALSE(header->may_warn);
    VipsImage* image = nullptr;
    ASSERT_EQ(vips_jpegload_buffer(const_cast<std::byte*>(mended.data()), mended.size(), &image, "fail_on",
                                   VIPS_FAIL_ON_WARNING, nullptr),
              0);
    const ImageHandle lazy(image);
    const ImageHandle pixels(vips_image_copy_memory(image));
    ASSERT_NE(pixels, nullptr) << vips_error_buffer();
  }
}

TEST(MendJpeg, LeavesAGoodFileAsItIs) {
  const auto source = source_of(jpeg());
  EXPECT_TRUE(std::ranges::equal(mend_jpeg(*source), *source));
  EXPECT_FALSE(read_jpeg_header(*source_of(jfif_jpeg(1)))->may_warn);
}

// A good file with `count` empty APP1 segments in front.
base::Result<SourceHeader> header_with_segments(int count) {
  std::string text(text_of(save(gradient(8, 8).get(), ".jpg[strip]")));
  std::string segments;
  for (int i = 0; i < count; ++i) segments += std::string("\xff\xe1\0\x02", 4);
  text.insert(2, segments);
  return read_jpeg_header(*source_of(text));
}

// libjpeg's time grows with the square of their number.
TEST(JpegHeader, RefusesMoreSegmentsThanAPictureHas) {
  EXPECT_TRUE(header_with_segments(1000));
  for (const int count : {1024, 50'000}) {
    const auto header = header_with_segments(count);
    ASSERT_FALSE(header) << count;
    EXPECT_EQ(header.error().code, base::ErrorCode::kLimitExceeded);
    EXPECT_EQ(header.error().detail, "the image has more than 1024 marker segments");
  }
}

TEST(JpegHeader, CountsNoMarkersInsideScans) {
  std::string text(text_of(save(gradient(8, 8).get(), ".jpg[strip]")));
  std::string restarts;
  for (int i = 0; i < 2000; ++i) restarts += "\xff\xd0";
  text.insert(text.size() - 2, restarts);
  EXPECT_TRUE(read_jpeg_header(*source_of(text)));
}

// A baseline file that says it has `width` x `height` pixels and whose scan comes `count` times.
std::string with_scans(int count, int width, int height) {
  std::string text = jpeg();
  const std::size_t frame = text.find("\xff\xc0") + 5;
  for (const auto& [at, side] : {std::pair{frame, height}, std::pair{frame + 2, width}}) {
    text[at] = static_cast<char>(side >> 8);
    text[at + 1] = static_cast<char>(side);
  }
  const std::size_t start = text.find("\xff\xda");
  const std::string scan = text.substr(start, text.size() - 2 - start);
  text.resize(start);
  for (int i = 0; i < count; ++i) text += scan;
  return text + "\xff\xd9";
}

// libjpeg goes over the whole picture once a scan.
TEST(JpegHeader, BoundsTheScansByThePixelsThatTheyGoOver) {
  struct Bound {
    int width;
    int height;
    int scans;
  };
  for (const auto [width, height, scans] : {Bound{40, 40, 100}, Bound{5000, 3000, 100}, Bound{5000, 5000, 60},
                                            Bound{10'000, 5000, 30}, Bound{65'535, 65'535, 30}, Bound{40, 0, 100}}) {
    const auto most = read_jpeg_header(*source_of(with_scans(scans, width, height)));
    EXPECT_EQ(most.has_value(), height > 0) << width << "x" << height;
    const auto more = read_jpeg_header(*source_of(with_scans(scans + 1, width, height)));
    ASSERT_FALSE(more) << width << "x" << height;
    EXPECT_EQ(more.error().code, base::ErrorCode::kLimitExceeded);
    EXPECT_EQ(more.error().detail, "the image has more than " + std::to_string(scans) + " scans");
  }
}

TEST(JpegHeader, TellsSamples) {
  EXPECT_EQ(read_jpeg_header(*source_of(jpeg()))->samples, 3);
  std::string ten = jpeg();
  ten[ten.find("\xff\xc0") + 9] = 10;
  EXPECT_EQ(read_jpeg_header(*source_of(ten))->samples, 10);
}

std::string segment(char marker, const std::string& data) {
  return std::string{'\xff', marker, '\0', static_cast<char>(data.size() + 2)} + data;
}

// The scan of one component of 8 x 8 grey pixels: DC difference 0, end of block.
std::string scan_of(char component, char selection_end = 63) {
  return segment('\xda', std::string{'\1', component, '\0', '\0', selection_end, '\0'}) + '\x3f';
}

// A sequential file of 8 x 8 pixels with the given number of components, each in a scan of its own.
std::string component_scans(char components) {
  std::string frame{'\x08', '\0', '\x08', '\0', '\x08', components};
  std::string scans;
  for (char component = 1; component <= components; ++component) {
    frame += std::string{component, '\x11', '\0'};
    scans += scan_of(component);
  }
  // Tables with one code each, of one bit.
  const std::string one_code = std::string{'\1'} + std::string(16, '\0');
  return "\xff\xd8" + segment('\xdb', '\0' + std::string(64, '\1')) + segment('\xc0', frame) +
         segment('\xc4', '\0' + one_code) + segment('\xc4', '\x10' + one_code) + scans + "\xff\xd9";
}

// libjpeg keeps the coefficients of the whole picture when its first scan lacks a component.
TEST(JpegHeader, KnowsSequentialFilesThatAreDecodedAsAWhole) {
  for (const ReadTo to : {ReadTo::kPixels, ReadTo::kEnd}) {
    EXPECT_TRUE(read_jpeg_header(*source_of(component_scans(3)), to)->is_progressive);
    EXPECT_FALSE(read_jpeg_header(*source_of(component_scans(1)), to)->is_progressive);
  }
  EXPECT_FALSE(read_jpeg_header(*source_of(component_scans(3)))->may_warn);
  const auto rendered = test::render(source_of(component_scans(3)), {.format = Format::kPng});
  ASSERT_TRUE(rendered.report) << rendered.report.error().cause;
  EXPECT_EQ(test::pixel(rendered.image().get(), 4, 4, 0), 128);
}

TEST(JpegHeader, KnowsTheOddSelectionOfAnyScan) {
  std::string text = component_scans(3);
  text.replace(text.size() - 2 - scan_of(3).size(), scan_of(3).size(), scan_of(3, 0));
  EXPECT_TRUE(read_jpeg_header(*source_of(text))->may_warn);
  const auto rendered = test::render(source_of(text), {.format = Format::kPng});
  EXPECT_TRUE(rendered.report) << rendered.report.error().cause;
}

TEST(JpegHeader, RefusesAFileWithoutPicture) {
  EXPECT_FALSE(read_jpeg_header(*source_of("\xff\xd8\xff\xd9")));
  EXPECT_FALSE(read_jpeg_header(*source_of(std::string("\xff\xd8\xff\xda\0\x02\xff\xd9", 8))));
  EXPECT_FALSE(read_jpeg_header(*source_of(std::string("\xff\xd8\xff\xe0\0\x01\xff\xd9", 8))));
}

}  // namespace
}  // namespace optimux::media
