#include "server/output_rules.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using media::Format;

/// What the rules make of the request: its format, or the error.
std::string outcome(const OutputRules& rules, service::TransformParameters wanted, std::string_view accept = "") {
  const auto status = apply_rules(rules, accept, wanted);
  if (!status) return status.error().detail;
  return wanted.render.format ? std::string(media::name_of(*wanted.render.format)) : "the source's own";
}

service::TransformParameters with_format(std::optional<Format> format, bool negotiate = false) {
  service::TransformParameters wanted;
  wanted.render.format = format;
  wanted.negotiate_format = negotiate;
  return wanted;
}

TEST(OutputRules, WithoutFormatsEveryOneIsTaken) {
  EXPECT_EQ(outcome({}, with_format(std::nullopt)), "the source's own");
  EXPECT_EQ(outcome({}, with_format(Format::kGif)), "gif");
  EXPECT_EQ(outcome({}, with_format({}, true), "image/webp"), "webp");
}

TEST(OutputRules, OnlyListedFormatsAreMade) {
  const OutputRules rules{.formats = {Format::kWebp, Format::kJpeg}};
  EXPECT_EQ(outcome(rules, with_format(Format::kJpeg)), "jpeg");
  EXPECT_EQ(outcome(rules, with_format(Format::kAvif)), "format cannot be avif; allowed: auto, webp, jpeg");
  EXPECT_EQ(outcome(rules, with_format(std::nullopt)), "webp");
}

TEST(OutputRules, OriginalsMayBeOfAnyFormatAndAreNotOnAList) {
  service::TransformParameters wanted;
  wanted.is_original = true;
  EXPECT_EQ(outcome({}, wanted), "the source's own");
  EXPECT_EQ(outcome({.formats = {Format::kWebp}}, wanted), "format cannot be original; allowed: auto, webp");
}

TEST(OutputRules, OnlyListedFormatsAreNegotiated) {
  const OutputRules rules{.formats = {Format::kWebp, Format::kJpeg}};
  EXPECT_EQ(outcome(rules, with_format({}, true), "image/avif,image/webp,*/*"), "webp");
  EXPECT_EQ(outcome(rules, with_format({}, true), "image/avif,*/*"), "jpeg");
  EXPECT_EQ(outcome(rules, with_format({}, true), "image/webp;q=0.5,image/jpeg"), "jpeg");
  EXPECT_EQ(outcome(rules, with_format({}, true), ""), "jpeg");
  EXPECT_EQ(outcome(rules, with_format({}, true), "image/avif"), "Accept allows none of the formats of this server");
}

TEST(OutputRules, NoMoreSizesThanAllowed) {
  const OutputRules rules{.max_sizes = 2, .formats = {}};
  service::TransformParameters wanted;
  wanted.render.sizes = {{1, 1}, {2, 2}};
  EXPECT_EQ(outcome(rules, wanted), "the source's own");
  wanted.render.sizes.push_back({3, 3});
  EXPECT_EQ(outcome(rules, wanted), "sizes: 3 are more than max_sizes (2)");
}

}  // namespace
}  // namespace optimux::server
