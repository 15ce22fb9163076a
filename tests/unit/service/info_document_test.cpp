#include "service/info_document.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace optimux::service {
namespace {

media::ImageInfo sample() {
  media::ImageInfo info;
  info.format = media::Format::kGif;
  info.width = 40;
  info.height = 30;
  info.pages = 12;
  info.duration = 1.25;
  info.has_alpha = true;
  info.colour_space = "srgb";
  info.bytes = 5'000'000'000;
  return info;
}

TEST(InfoDocument, HoldsEveryField) {
  auto info = sample();
  info.blur_hash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj";
  const auto document = nlohmann::json::parse(info_document(info));
  EXPECT_EQ(document.size(), 14U);
  EXPECT_EQ(document["format"], "gif");
  EXPECT_EQ(document["width"], 40);
  EXPECT_EQ(document["height"], 30);
  EXPECT_EQ(document["pages"], 12);
  EXPECT_EQ(document["duration"], 1.25);
  EXPECT_EQ(document["has_alpha"], true);
  EXPECT_EQ(document["has_profile"], false);
  EXPECT_EQ(document["colour_space"], "srgb");
  EXPECT_EQ(document["bits"], 8);
  EXPECT_EQ(document["orientation"], 1);
  EXPECT_EQ(document["is_progressive"], false);
  EXPECT_EQ(document["bytes"], 5'000'000'000);
  EXPECT_EQ(document["blur_hash"], info.blur_hash);
}

TEST(InfoDocument, DurationIsInWholeMilliseconds) {
  auto info = sample();
  info.duration = 0.9000000000000006;
  EXPECT_NE(info_document(info).find("\"duration\":0.9,"), std::string::npos);
}

TEST(InfoDocument, LeavesOutAnUnknownHash) {
  EXPECT_FALSE(nlohmann::json::parse(info_document(sample())).contains("blur_hash"));
}

TEST(InfoDocument, TextThatIsNotUtf8IsReplaced) {
  auto info = sample();
  info.colour_space = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(info_document(info)));
}

}  // namespace
}  // namespace optimux::service
