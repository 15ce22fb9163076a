#include "server/format_negotiation.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

std::string negotiated(std::string_view accept) {
  const auto format = negotiate_format(accept);
  if (!format) return format.error().code == base::ErrorCode::kNotAcceptable ? "refused" : "another error";
  return *format ? std::string(media::name_of(**format)) : "own";
}

TEST(FormatNegotiation, WhatBrowsersSend) {
  EXPECT_EQ(negotiated("image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"),
            "webp");                                                                                       // Chromium
  EXPECT_EQ(negotiated("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"), "webp");  // Firefox
  EXPECT_EQ(negotiated("image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5"), "png");  // older Safari
  EXPECT_EQ(negotiated("*/*"), "own");                                                            // curl
  EXPECT_EQ(negotiated(""), "own");
}

TEST(FormatNegotiation, QualitiesDecide) {
  EXPECT_EQ(negotiated("image/avif,image/webp;q=0.9"), "avif");
  EXPECT_EQ(negotiated("image/webp;q=0.5,image/*"), "own");
  EXPECT_EQ(negotiated("image/webp;q=0.5,image/*;q=0.5"), "webp");
  EXPECT_EQ(negotiated("image/gif;q=0.2,image/jpeg;q=0.1"), "gif");
}

TEST(FormatNegotiation, RefusedFormatsAreNotTheDefault) {
  EXPECT_EQ(negotiated("image/jpeg;q=0,*/*"), "png");
  EXPECT_EQ(negotiated("image/jpeg"), "jpeg");
}

TEST(FormatNegotiation, WildcardsDoNotNameNewFormats) {
  EXPECT_EQ(negotiated("image/*"), "own");
  EXPECT_EQ(negotiated("image/webp;q=0,image/*"), "own");
}

TEST(FormatNegotiation, NothingLeft) {
  EXPECT_EQ(negotiated("text/html"), "refused");
  EXPECT_EQ(negotiated("image/tiff"), "refused");
  EXPECT_EQ(negotiated("*/*;q=0"), "refused");
}

TEST(FormatNegotiation, AWildcardIsAYesWhereNothingOlderIsAllowed) {
  using media::Format;
  const std::vector<Format> only_webp = {Format::kWebp};
  for (const char* accept : {"", "*/*", "image/*", "image/webp"}) {
    EXPECT_EQ(negotiate_format_among(accept, only_webp).value(), Format::kWebp) << accept;
  }
  EXPECT_EQ(negotiate_format_among("*/*", {Format::kAvif, Format::kWebp}).value(), Format::kAvif);
  EXPECT_EQ(negotiate_format_among("*/*", {Format::kWebp, Format::kJpeg}).value(), Format::kJpeg);
  EXPECT_FALSE(negotiate_format_among("image/webp;q=0,*/*", only_webp).has_value());
  EXPECT_FALSE(negotiate_format_among("image/jpeg", only_webp).has_value());
}

}  // namespace
}  // namespace optimux::server
