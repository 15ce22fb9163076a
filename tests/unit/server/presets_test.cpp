#include "server/presets.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using service::Parameter;
using Parameters = std::vector<Parameter>;

const Presets& presets() {
  static const Presets kPresets = Presets::make({"thumb=sizes=100x100&fit=cover", "small=quality=30",
                                                 "hero=sizes=1200x0,600x0&format=webp&quality=70", "plain="})
                                      .value();
  return kPresets;
}

/// The parameters as one text.
std::string text_of(const base::Result<Parameters>& parameters) {
  if (!parameters) return "error: " + parameters.error().detail;
  std::string text;
  for (const Parameter& parameter : *parameters) text += parameter.name + "=" + parameter.value + "&";
  return text;
}
std::string expanded(const Parameters& given) {
  return text_of(presets().expand(given));
}
std::string alone(const Parameters& given) {
  return text_of(presets().expand_alone(given));
}

TEST(PresetsTest, AParameterOfTheUrlIsStrongerThanAPresets) {
  EXPECT_EQ(expanded({{"preset", "thumb"}}), "sizes=100x100&fit=cover&");
  EXPECT_EQ(expanded({{"preset", "thumb"}, {"fit", "fill"}}), "sizes=100x100&fit=fill&");
  EXPECT_EQ(expanded({{"sizes", "9"}, {"preset", "thumb"}, {"sizes", "8"}}), "fit=cover&sizes=9&sizes=8&");
}

TEST(PresetsTest, ALaterPresetIsStrongerThanAnEarlierOne) {
  EXPECT_EQ(expanded({{"preset", "hero,small"}}), "sizes=1200x0,600x0&format=webp&quality=30&");
  EXPECT_EQ(expanded({{"preset", "small,hero"}}), "sizes=1200x0,600x0&format=webp&quality=70&");
  EXPECT_EQ(expanded({{"preset", "hero"}, {"preset", "small"}}), expanded({{"preset", "hero,small"}}));
}

TEST(PresetsTest, WithoutAPresetNothingChanges) {
  EXPECT_EQ(expanded({{"quality", "5"}, {"unknown", "x"}}), "quality=5&unknown=x&");
  EXPECT_EQ(text_of(Presets().expand({{"quality", "5"}})), "quality=5&");
  EXPECT_EQ(expanded({{"preset", "plain"}}), "");
}

TEST(PresetsTest, AWrongNameIsToldTheNearestOne) {
  EXPECT_EQ(expanded({{"preset", "tumb"}}), "error: preset: there is no preset \"tumb\"; did you mean thumb?");
  EXPECT_EQ(expanded({{"preset", "thumb,"}}), "error: preset: there is no preset \"\"");
  EXPECT_EQ(text_of(Presets().expand({{"preset", "x"}})), "error: preset: there is no preset \"x\"");
}

TEST(PresetsTest, AloneNoOtherParameterIsTaken) {
  EXPECT_EQ(alone({{"preset", "thumb"}}), "sizes=100x100&fit=cover&");
  EXPECT_EQ(alone({{"preset", "thumb"}, {"quality", "1"}}),
            "error: \"quality\": this server takes presets alone; there are hero, plain, small, thumb");
  EXPECT_EQ(alone({}), "error: preset: missing; this server takes presets alone; there are hero, plain, small, thumb");
  EXPECT_EQ(alone({{"sizes", "100x100"}}), alone({}));
}

TEST(PresetsTest, AloneSizesMayPickSomeOfThePreset) {
  EXPECT_EQ(alone({{"preset", "hero"}, {"sizes", "600"}}), "format=webp&quality=70&sizes=600&");
  EXPECT_EQ(alone({{"preset", "hero"}, {"sizes", "600x0,1200x"}}), "format=webp&quality=70&sizes=600x0,1200x&");
  EXPECT_TRUE(alone({{"preset", "hero"}, {"sizes", "601x0"}}).starts_with("error: sizes: "));
  EXPECT_TRUE(alone({{"preset", "hero"}, {"sizes", "600x0,1x1"}}).starts_with("error: sizes: "));
  EXPECT_TRUE(alone({{"preset", "hero"}, {"sizes", "x,y"}}).starts_with("error: sizes cannot be"));
  EXPECT_TRUE(alone({{"preset", "small"}, {"sizes", "5x5"}}).starts_with("error: sizes: "));
}

TEST(PresetsTest, WhatTheRulesForbidIsNoPreset) {
  const OutputRules rules{2, {media::Format::kWebp, media::Format::kJpeg}};
  const auto error_of = [&](const std::string& declaration) {
    const auto presets = Presets::make({declaration}, rules);
    return presets ? std::string() : presets.error().detail;
  };
  EXPECT_EQ(error_of("a=format=gif"), "a: format cannot be gif; allowed: auto, webp, jpeg");
  EXPECT_EQ(error_of("a=format=original"), "a: format cannot be original; allowed: auto, webp, jpeg");
  EXPECT_EQ(error_of("a=sizes=1,2,3"), "a: sizes: 3 are more than max_sizes (2)");
  for (const char* allowed : {"a=format=jpg", "a=format=auto", "a=sizes=1,2", "a="}) EXPECT_EQ(error_of(allowed), "");
}

TEST(PresetsTest, DeclarationsAreCheckedLikeParameters) {
  const auto error_of = [](const std::vector<std::string>& declarations) {
    const auto made = Presets::make(declarations);
    return made ? std::string("none") : made.error().detail;
  };
  EXPECT_EQ(error_of({"a=quality=101"}), "a: quality cannot be \"101\"; allowed: a whole number from 1 to 100");
  EXPECT_EQ(error_of({"a=qality=1"}), "a: there is no parameter \"qality\"; did you mean quality?");
  EXPECT_EQ(error_of({"a=quality=1&quality=2"}), "a: quality is given more than once; it takes one value");
  EXPECT_EQ(error_of({"b=", "a=preset=b"}).substr(0, 2), "a:");
  EXPECT_EQ(error_of({"a=", "a="}), "a: declared twice");
  EXPECT_EQ(error_of({"a=crop=0,0,50%,50%"}).substr(0, 2), "a:");
  EXPECT_EQ(error_of({"a=crop=0,0,50%25,50%25"}), "none");
  for (const char* wrong : {"", "a", "=sizes=1", "a b=sizes=1", "a,b=", "\xC3\xA9="}) {
    EXPECT_NE(error_of({wrong}).find("is no preset"), std::string::npos) << wrong;
  }
  EXPECT_NE(error_of({std::string(65, 'a') + "="}).find("is no preset"), std::string::npos);
}

}  // namespace
}  // namespace optimux::server
