#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using test::gradient;
using test::render;
using test::save;

RenderSpec to(Format format, int width = 0) {
  return {.sizes = {Size{width, 0}}, .format = format, .effort = 1};
}

TEST(RenderFailure, FindsDamageBeforeTheFirstByte) {
  for (const char* suffix :
       {".jpg[Q=90]", ".png[compression=0]", ".webp[lossless]", ".gif", ".avif[effort=0]", ".tif"}) {
    const auto source = save(gradient(200, 200).get(), suffix);
    const auto text = test::text_of(source);
    for (const double part : {0.02, 0.3, 0.6, 0.97}) {
      const auto cut =
          test::source_of(text.substr(0, static_cast<std::size_t>(static_cast<double>(text.size()) * part)));
      const auto rendered = render(cut, to(Format::kJpeg));
      ASSERT_FALSE(rendered.report) << suffix << " " << part;
      EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kBrokenMedia) << suffix << " " << part;
      EXPECT_FALSE(rendered.bodies[0]->head()) << suffix << " " << part;
      EXPECT_EQ(rendered.bodies[0]->state(), base::SharedBody::State::kFailed);
    }
  }
}

TEST(RenderFailure, FindsDamagedPixelsOfAWholeJpeg) {
  std::string text(test::text_of(save(gradient(200, 200).get(), ".jpg[Q=90]")));
  std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(text.size() / 2), text.size() / 4, '\x55');
  const auto rendered = render(test::source_of(text), to(Format::kPng));
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kBrokenMedia);
}

// libjpeg tells of its first warning only; the one that means damage must not hide behind a harmless one.
TEST(RenderFailure, FindsACutThatHidesBehindAnOddity) {
  for (const char* suffix : {".jpg[Q=90]", ".jpg[Q=90,interlace]"}) {
    const std::string text(test::text_of(save(gradient(200, 200).get(), suffix)));
    for (const std::string& oddity : {std::string("x"), std::string("\xff\0", 2)}) {
      std::string whole = text;
      whole.insert(4 + static_cast<std::uint8_t>(text[4]) * 256U + static_cast<std::uint8_t>(text[5]), oddity);
      EXPECT_TRUE(render(test::source_of(whole), to(Format::kPng)).report) << suffix;
      for (const double part : {0.4, 0.6, 0.95}) {
        const auto cut = whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part));
        const auto rendered = render(test::source_of(cut + "\xff\xd9"), to(Format::kPng));
        ASSERT_FALSE(rendered.report) << suffix << " " << part;
        EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kBrokenMedia);
        EXPECT_FALSE(rendered.bodies[0]->head());
      }
    }
  }
}

TEST(RenderFailure, FindsAGifWhoseFrameEndsEarly) {
  const std::string short_frame("GIF89a\xc8\0\xc8\0\0\0\0\x2c\0\0\0\0\xc8\0\xc8\0\0\x02\x02\x44\x01\0;", 29);
  const auto rendered = render(test::source_of(short_frame), to(Format::kPng));
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kBrokenMedia);
  EXPECT_FALSE(rendered.bodies[0]->head());
}

// A decoder that is told to shrink a picture of 4 x 4 pixels to an eighth would leave nothing of it, where libvips
// aborts.
TEST(RenderFailure, RefusesASmallJpegThatClaimsToBeLarge) {
  const std::string text(test::text_of(save(gradient(4, 4).get(), ".jpg[strip]")));
  const std::string large_frame("\xff\xc0\0\x0b\x08\x03\xe8\x03\xe8\x01\x01\x11\0", 13);
  const std::string scan("\xff\xda\0\x08\x01\x01\0\0\x3f\0", 10);
  const std::string end("\xff\xd9", 2);
  const std::string segments = text.substr(2, text.size() - 4);
  const std::string length{static_cast<char>((segments.size() + 2) >> 8 & 0xff),
                           static_cast<char>((segments.size() + 2) & 0xff)};
  const std::string after_the_picture = text.substr(0, text.size() - 2) + large_frame + end;
  const std::string over_the_picture = std::string("\xff\xd8\xff\0", 4) + length + segments + large_frame + scan + end;
  for (const std::string& crafted : {after_the_picture, over_the_picture}) {
    const auto rendered = render(test::source_of(crafted), to(Format::kPng, 50));
    ASSERT_FALSE(rendered.report);
    EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kBrokenMedia);
  }
}

TEST(RenderFailure, ShowsJpegsWithHarmlessOddities) {
  std::string text(test::text_of(save(gradient(200, 200).get(), ".jpg[Q=90]")));
  const std::size_t first_segment = 4 + static_cast<std::uint8_t>(text[4]) * 256U + static_cast<std::uint8_t>(text[5]);
  text.insert(first_segment, "xx");
  text += "garbage";
  EXPECT_TRUE(render(test::source_of(text), to(Format::kPng)).report);
}

TEST(RenderFailure, RefusesLimitsBeforeItDecodes) {
  const auto executor = make_in_process_executor({.max_frame_pixels = 1000, .max_output_pixels = 500});
  const auto large = render(save(gradient(40, 40).get(), ".png"), to(Format::kPng, 10), {}, *executor);
  ASSERT_FALSE(large.report);
  EXPECT_EQ(large.report.error().code, base::ErrorCode::kLimitExceeded);
  const auto output = render(save(gradient(30, 30).get(), ".png"), to(Format::kPng), {}, *executor);
  ASSERT_FALSE(output.report);
  EXPECT_NE(output.report.error().detail.find("max_output_pixels"), std::string::npos);
}

TEST(RenderFailure, RefusesWhatTheFormatCannotHold) {
  const auto executor = make_in_process_executor({.max_output_side = 20'000});
  const auto rendered = render(save(gradient(16'400, 2).get(), ".png"), to(Format::kWebp), {}, *executor);
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kLimitExceeded);
}

TEST(RenderFailure, RefusesFormatsThatAreNotWritten) {
  const auto rendered = render(save(gradient(30, 20).get(), ".png"), to(Format::kTiff));
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kInvalidParameter);
}

// An AVIF encode cannot be stopped, so that a large one with much effort would hold its worker for minutes.
TEST(RenderFailure, BoundsTheEffortOfAnAvifByItsPixels) {
  const auto source = save(gradient(1400, 1000).get(), ".jpg");
  const RenderSpec too_much{.format = Format::kAvif, .effort = 8};
  const auto refused = test::render(source, too_much);
  ASSERT_FALSE(refused.report);
  EXPECT_EQ(refused.report.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_NE(refused.report.error().detail.find("at most 7"), std::string::npos) << refused.report.error().detail;
  const RenderSpec smaller{.sizes = {Size{70, 0}}, .format = Format::kAvif, .effort = 8};
  EXPECT_TRUE(test::render(source, smaller).report);
}

}  // namespace
}  // namespace optimux::media
