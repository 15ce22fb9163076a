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

}  // namespace
}  // namespace optimux::media
