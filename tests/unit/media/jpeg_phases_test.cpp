#include "media/jpeg_phases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using base::Phase;
using test::end_of;
using test::find_phases;
using test::save;
using test::text_of;
using test::textured;

std::string jpeg(const std::string& options, int width = 200, int height = 120) {
  return std::string(text_of(save(textured(width, height).get(), ".jpg[strip" + options + "]")));
}

// The header of the last scan begins there, with its marker.
bool ends_with_scan_header(std::string_view text, int components) {
  const std::size_t length = 6 + 2 * static_cast<std::size_t>(components);
  return text.substr(text.size() - length - 2, 2) == "\xff\xda";
}

TEST(JpegPhases, BaselineHasAHeadAlone) {
  const std::string text = jpeg("");
  const auto found = find_phases(text, Format::kJpeg);
  ASSERT_EQ(found.ends.size(), 2u);
  EXPECT_EQ(found.ends[0].phase, Phase::kHead);
  EXPECT_EQ(found.ends[1].phase, Phase::kGood);
  EXPECT_EQ(found.ends[0].offset, found.ends[1].offset);
  EXPECT_TRUE(ends_with_scan_header(text.substr(0, found.ends[0].offset), 3));
  EXPECT_TRUE(found.scans.empty());
}

TEST(JpegPhases, ProgressiveEndsPhasesWithItsScans) {
  const std::string text = jpeg(",interlace");
  const auto found = find_phases(text, Format::kJpeg);
  ASSERT_EQ(found.ends.size(), 3u);
  EXPECT_EQ(found.ends[0].phase, Phase::kHead);
  EXPECT_EQ(found.ends[0].part, "header");
  EXPECT_TRUE(ends_with_scan_header(text.substr(0, found.ends[0].offset), 3));
  EXPECT_EQ(found.ends[1].phase, Phase::kFirst);
  EXPECT_EQ(found.ends[1].part, "scan");
  EXPECT_EQ(found.ends[1].number, 1);
  EXPECT_TRUE(ends_with_scan_header(text.substr(0, found.ends[1].offset), 1));
  EXPECT_EQ(found.ends[2].phase, Phase::kGood);
  EXPECT_EQ(found.ends[2].number, 6);
  EXPECT_TRUE(ends_with_scan_header(text.substr(0, found.ends[2].offset), 3));
}

// The script of libjpeg-turbo, jcparam.c.
TEST(JpegPhases, ListsTheScans) {
  const std::string text = jpeg(",interlace");
  const auto found = find_phases(text, Format::kJpeg);
  ASSERT_EQ(found.scans.size(), 10u);
  EXPECT_EQ(found.scans[0].components, 7u);
  EXPECT_EQ(found.scans[0].last_coefficient, 0);
  EXPECT_EQ(found.scans[0].bit_before, std::nullopt);
  EXPECT_EQ(found.scans[0].bit, 1);
  EXPECT_EQ(found.scans[1].components, 1u);
  EXPECT_EQ(found.scans[1].first_coefficient, 1);
  EXPECT_EQ(found.scans[1].last_coefficient, 5);
  EXPECT_EQ(found.scans[1].bit, 2);
  EXPECT_EQ(found.scans[2].components, 4u);
  EXPECT_EQ(found.scans[5].bit_before, 2);
  EXPECT_EQ(found.scans[5].bit, 1);
  EXPECT_EQ(found.scans[0].end, end_of(Phase::kFirst, found).offset);
  EXPECT_EQ(found.scans[5].end, end_of(Phase::kGood, found).offset);
  EXPECT_EQ(found.scans[9].end, text.size());
}

TEST(JpegPhases, GreyHasThemToo) {
  const auto image = test::gradient(64, 48);
  VipsImage* grey = nullptr;
  ASSERT_EQ(vips_colourspace(image.get(), &grey, VIPS_INTERPRETATION_B_W, nullptr), 0);
  const std::string text(text_of(save(ImageHandle(grey).get(), ".jpg[strip,interlace]")));
  const auto found = find_phases(text, Format::kJpeg);
  ASSERT_EQ(found.ends.size(), 3u);
  EXPECT_EQ(found.ends[1].number, 1);
  EXPECT_EQ(found.ends[2].number, 4);
  EXPECT_EQ(found.scans.size(), 6u);
}

TEST(JpegPhases, MetadataBelongToTheHead) {
  const auto image = textured(200, 120);
  const std::string comment(40'000, 'c');
  vips_image_set_blob_copy(image.get(), VIPS_META_XMP_NAME, comment.data(), comment.size());
  const std::string text(text_of(save(image.get(), ".jpg[interlace]")));
  EXPECT_GT(end_of(Phase::kHead, find_phases(text, Format::kJpeg)).offset, comment.size());
}

// A file that was cut, decoders show up to there: the phases before it stay where they are.
TEST(JpegPhases, ACutFileHasThePhasesThatAreThere) {
  const std::string text = jpeg(",interlace");
  const auto whole = find_phases(text, Format::kJpeg);
  for (const PhaseEnd& end : whole.ends) {
    const std::size_t index = static_cast<std::size_t>(&end - whole.ends.data());
    EXPECT_EQ(find_phases(text.substr(0, end.offset), Format::kJpeg).ends.size(), index + 1);
    EXPECT_EQ(find_phases(text.substr(0, end.offset - 1), Format::kJpeg).ends.size(), index);
  }
}

// One scan without approximation, after which nothing is missing: the picture is good when it is whole.
TEST(JpegPhases, APictureThatIsNeverGoodBeforeItsEndIsGoodThere) {
  using namespace std::string_literals;
  const std::string frame = "\xff\xd8\xff\xc2\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0"s;
  const std::string means = "\xff\xda\0\x08\x01\x01\0\0\0\x03"s;
  const std::string text = frame + means + "\x55\xff\0\x55\xff\xd9"s + "behind";
  const auto found = find_phases(text, Format::kJpeg);
  ASSERT_EQ(found.ends.size(), 3u);
  EXPECT_EQ(found.ends[1].phase, Phase::kFirst);
  EXPECT_EQ(found.ends[1].offset, text.size() - 6);
  EXPECT_EQ(found.ends[2].phase, Phase::kGood);
  EXPECT_EQ(found.ends[2].offset, text.size() - 6);
  EXPECT_EQ(found.ends[2].part, "image");
}

TEST(JpegPhases, ScansOfNoComponentOfTheFrameEndIt) {
  using namespace std::string_literals;
  const std::string frame = "\xff\xd8\xff\xc2\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0"s;
  for (const std::string& scan : {"\xff\xda\0\x08\x01\x02\0\0\0\0"s, "\xff\xda\0\x08\x01\x01\0\x05\x01\0"s,
                                  "\xff\xda\0\x08\x01\x01\0\x01\x40\0"s, "\xff\xda\0\x04\x01\x01"s}) {
    PhaseScanner scanner(Format::kJpeg);
    const std::string text = frame + scan + "\x55\xff\xd9";
    EXPECT_TRUE(scanner.feed(std::as_bytes(std::span(text))).empty());
    EXPECT_TRUE(scanner.is_done());
  }
}

TEST(JpegPhases, MorescansThanAreListedAreStillRead) {
  using namespace std::string_literals;
  std::string text = "\xff\xd8\xff\xc2\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0"s;
  for (int i = 0; i < 300; ++i) text += "\xff\xda\0\x08\x01\x01\0\0\0\x03\x55"s;
  const auto found = find_phases(text + "\xff\xd9", Format::kJpeg);
  EXPECT_EQ(found.scans.size(), 256u);
  EXPECT_EQ(found.ends.back().offset, text.size() + 2);
}

}  // namespace
}  // namespace optimux::media
