#include "service/parameters.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace optimux::service {
namespace {

using media::Format;
using media::Size;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Pairs = std::vector<Parameter>;

TransformParameters parsed(const Pairs& parameters) {
  auto result = parse_transform_parameters(parameters);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().detail);
  return result.value_or(TransformParameters{});
}

media::RenderSpec render(const Pairs& parameters) {
  return parsed(parameters).render;
}

/// The detail of the refusal; empty when nothing was refused.
std::string refusal(const Pairs& parameters) {
  const auto result = parse_transform_parameters(parameters);
  if (result) return {};
  EXPECT_EQ(result.error().code, base::ErrorCode::kInvalidParameter);
  return result.error().detail;
}

TEST(Parameters, NothingGivenIsAllDefaults) {
  const auto result = parsed({});
  EXPECT_EQ(result.render, media::RenderSpec{});
  EXPECT_FALSE(result.negotiate_format);
  EXPECT_EQ(result.delivery, Delivery::kStream);
}

TEST(Parameters, SizesInEverySpelling) {
  EXPECT_THAT(render({{"sizes", "300x200"}}).sizes, ElementsAre(Size{300, 200}));
  EXPECT_THAT(render({{"sizes", "300"}}).sizes, ElementsAre(Size{300, 0}));
  EXPECT_THAT(render({{"sizes", "300x"}}).sizes, ElementsAre(Size{300, 0}));
  EXPECT_THAT(render({{"sizes", "300X0"}}).sizes, ElementsAre(Size{300, 0}));
  EXPECT_THAT(render({{"sizes", "x200"}}).sizes, ElementsAre(Size{0, 200}));
  EXPECT_THAT(render({{"sizes", "0x0"}}).sizes, ElementsAre(Size{0, 0}));
  EXPECT_THAT(render({{"sizes", "65535x65535"}}).sizes, ElementsAre(Size{65535, 65535}));
}

TEST(Parameters, SizesAreAListInOneValueOrSeveral) {
  const auto expected = ElementsAre(Size{300, 0}, Size{600, 0}, Size{0, 90});
  EXPECT_THAT(render({{"sizes", "300x0,600,x90"}}).sizes, expected);
  EXPECT_THAT(render({{"sizes", "300"}, {"sizes", "600,0x90"}}).sizes, expected);
}

TEST(Parameters, AtMostFiveSizes) {
  EXPECT_EQ(render({{"sizes", "1,2,3,4,5"}}).sizes.size(), 5U);
  EXPECT_THAT(refusal({{"sizes", "1,2,3,4,5,6"}}), HasSubstr("at most 5"));
  EXPECT_THAT(refusal({{"sizes", "1,2,3"}, {"sizes", "4,5,6"}}), HasSubstr("at most 5"));
}

TEST(Parameters, Words) {
  EXPECT_EQ(render({{"fit", "outside"}}).fit, media::Fit::kOutside);
  EXPECT_EQ(render({{"fit", "Cover"}}).fit, media::Fit::kCover);
  EXPECT_EQ(render({{"gravity", "southwest"}}).gravity, (media::Gravity{media::GravityKind::kSouthWest}));
  EXPECT_EQ(render({{"gravity", "smart"}}).gravity, (media::Gravity{media::GravityKind::kSmart}));
  EXPECT_EQ(render({{"flip", "h"}}).flip, media::Flip::kHorizontal);
  EXPECT_EQ(render({{"flip", "hv"}}).flip, media::Flip::kBoth);
  EXPECT_EQ(render({{"flip", "vh"}}).flip, media::Flip::kBoth);
}

TEST(Parameters, FocalPoint) {
  EXPECT_EQ(render({{"gravity", "fp:0.25,1"}}).gravity, (media::Gravity{media::GravityKind::kFocalPoint, 0.25, 1}));
  for (const char* value : {"fp:", "fp:0.5", "fp:0.5,1.1", "fp:-0.1,0", "fp:0,0,0", "fp:a,b", "fp", "fp:nan,0"}) {
    EXPECT_THAT(refusal({{"gravity", value}}), HasSubstr("from 0 to 1")) << value;
  }
}

TEST(Parameters, Formats) {
  EXPECT_EQ(render({{"format", "jpg"}}).format, Format::kJpeg);
  EXPECT_EQ(render({{"format", "JPEG"}}).format, Format::kJpeg);
  EXPECT_EQ(render({{"format", "avif"}}).format, Format::kAvif);
  EXPECT_EQ(render({}).format, std::nullopt);
  const auto negotiated = parsed({{"format", "auto"}});
  EXPECT_TRUE(negotiated.negotiate_format);
  EXPECT_EQ(negotiated.render.format, std::nullopt);
}

TEST(Parameters, OriginalStandsAlone) {
  EXPECT_FALSE(parsed({}).is_original);
  EXPECT_TRUE(parsed({{"format", "original"}}).is_original);
  for (const auto* const name : {"sizes", "strip", "encoder", "rotate"}) {
    const Parameter other{name, name == std::string_view("encoder") ? "stream" : "0"};
    EXPECT_THAT(refusal({{"format", "Original"}, other}), HasSubstr(name));
    EXPECT_THAT(refusal({other, {"format", "original"}}), HasSubstr("format=original"));
  }
}

TEST(Parameters, FormatsThatAreOnlyReadAreRefused) {
  EXPECT_THAT(refusal({{"format", "tiff"}}), HasSubstr("jpeg, jpg, png, webp, avif, gif, auto or original"));
  EXPECT_NE(refusal({{"format", "heic"}}), "");
}

TEST(Parameters, LosslessContradictsFormatsThatCannotBe) {
  EXPECT_EQ(refusal({{"format", "jpg"}, {"lossless", "true"}}),
            "lossless cannot be true with format jpeg; allowed: with webp, avif or png");
  EXPECT_THAT(refusal({{"lossless", ""}, {"format", "gif"}}), HasSubstr("lossless cannot be true with format gif"));
  EXPECT_EQ(refusal({{"format", "jpeg"}, {"lossless", "false"}}), "");
}

TEST(Parameters, LosslessIsAWishWhereTheFormatIsDecidedElsewhere) {
  for (const char* format : {"webp", "avif", "png", "auto"}) {
    EXPECT_TRUE(render({{"lossless", "1"}, {"format", format}}).lossless) << format;
  }
  EXPECT_TRUE(render({{"lossless", "1"}}).lossless);
}

TEST(Parameters, SwitchesInEverySpelling) {
  for (const char* value : {"true", "1", "", "TRUE"}) EXPECT_TRUE(render({{"enlarge", value}}).enlarge) << value;
  for (const char* value : {"false", "0", "False"}) EXPECT_FALSE(render({{"strip", value}}).strip) << value;
  for (const char* value : {"yes", "2", " true", "-1"}) EXPECT_NE(refusal({{"thumb", value}}), "") << value;
}

TEST(Parameters, ProgressDeliveryMakesProgressiveTheDefault) {
  EXPECT_TRUE(parsed({{"encoder", "progress"}}).render.progressive);
  EXPECT_EQ(parsed({{"encoder", "progress"}}).delivery, Delivery::kProgress);
  EXPECT_FALSE(parsed({{"encoder", "stream"}}).render.progressive);
  EXPECT_FALSE(parsed({{"encoder", "json"}}).render.progressive);
}

TEST(Parameters, AnExplicitProgressiveWinsInAnyOrder) {
  EXPECT_FALSE(render({{"encoder", "progress"}, {"progressive", "false"}}).progressive);
  EXPECT_FALSE(render({{"progressive", "false"}, {"encoder", "progress"}}).progressive);
  EXPECT_TRUE(render({{"progressive", ""}, {"encoder", "stream"}}).progressive);
}

TEST(Parameters, CropInPixelsAndPercents) {
  const auto crop = render({{"crop", "10,0%,12.5%,300"}}).crop;
  ASSERT_TRUE(crop.has_value());
  EXPECT_EQ(*crop, (media::Crop{{10, false}, {0, true}, {12.5, true}, {300, false}}));
}

TEST(Parameters, CropsThatCannotBe) {
  for (const char* value : {"", "1,2,3", "1,2,3,4,5", "1,2,0,4", "1,2,3,0%", "-1,0,5,5", "0,0,101%,5", "1.5,0,5,5",
                            "0,0,1000001,5", "0,0,%,5", "0, 0,5,5"}) {
    EXPECT_THAT(refusal({{"crop", value}}), HasSubstr("X,Y,W,H")) << value;
  }
}

TEST(Parameters, Colours) {
  EXPECT_EQ(render({{"background", "ff8000"}}).background, (media::Colour{255, 128, 0}));
  EXPECT_EQ(render({{"background", "#FF8000"}}).background, (media::Colour{255, 128, 0}));
  EXPECT_EQ(render({{"background", "f80"}}).background, (media::Colour{255, 136, 0}));
  for (const char* value : {"", "#", "ff800", "ff80000", "red", "gg0000", "##ff8000"}) {
    EXPECT_THAT(refusal({{"background", value}}), HasSubstr("RRGGBB")) << value;
  }
}

TEST(Parameters, Rotations) {
  for (const int degrees : {0, 90, 180, 270}) {
    EXPECT_EQ(render({{"rotate", std::to_string(degrees)}}).rotate, degrees);
  }
  for (const char* value : {"45", "360", "-90", "", "90.0"}) EXPECT_NE(refusal({{"rotate", value}}), "") << value;
}

TEST(Parameters, PagesAndFrames) {
  EXPECT_EQ(render({{"page", "3"}}).page, 3);
  EXPECT_EQ(render({{"frames", "-1"}}).frames, -1);
  EXPECT_EQ(render({{"frames", "7"}}).frames, 7);
  EXPECT_NE(refusal({{"frames", "0"}}), "");
  EXPECT_NE(refusal({{"frames", "-2"}}), "");
  EXPECT_NE(refusal({{"page", "-1"}}), "");
}

TEST(Parameters, NegativeZeroIsRefused) {
  const Parameter signed_zeros[] = {{"sizes", "0x-0"},        {"sizes", "600x-0"}, {"blur", "-0"},
                                    {"page", "-0"},           {"rotate", "-0"},    {"effort", "-0"},
                                    {"gravity", "fp:-0,0.5"}, {"crop", "-0,0,1,1"}};
  for (const auto& [name, value] : signed_zeros) EXPECT_NE(refusal({{name, value}}), "") << name << "=" << value;
}

struct Edge {
  const char* name;
  const char* below;
  const char* smallest;
  const char* largest;
  const char* above;
};

class ParameterRange : public testing::TestWithParam<Edge> {};

TEST_P(ParameterRange, EndsAreAllowedAndWhatLiesBeyondIsNamed) {
  const Edge& edge = GetParam();
  for (const char* value : {edge.smallest, edge.largest}) EXPECT_EQ(refusal({{edge.name, value}}), "") << value;
  for (const char* value : {edge.below, edge.above, "", "x", "1e999", "nan"}) {
    EXPECT_THAT(refusal({{edge.name, value}}),
                AllOf(HasSubstr(edge.name), HasSubstr("\"" + std::string(value) + "\""), HasSubstr(edge.largest)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ParameterRange,
                         testing::Values(Edge{"quality", "0", "1", "100", "101"}, Edge{"effort", "-1", "0", "9", "10"},
                                         Edge{"dpr", "0.99", "1", "4", "4.01"}, Edge{"blur", "-1", "0", "50", "50.1"},
                                         Edge{"sharpen", "-1", "0", "50", "51"},
                                         Edge{"page", "-1", "0", "100000", "100001"},
                                         Edge{"frames", "-2", "-1", "100000", "100001"},
                                         Edge{"rotate", "-90", "0", "270", "360"}),
                         [](const auto& edge) { return std::string(edge.param.name); });

TEST(Parameters, SizesOutOfRangeAreNamed) {
  for (const char* value : {"", "65536", "-1", "1x-1", "1x2x3", "300,,200", "300,", "a", "3 00"}) {
    EXPECT_THAT(refusal({{"sizes", value}}),
                AllOf(HasSubstr("sizes"), HasSubstr("\"" + std::string(value) + "\""), HasSubstr("65535")));
  }
}

TEST(Parameters, EveryScalarGivenTwiceIsRefused) {
  const std::vector<std::pair<std::string, std::string>> values = {
      {"fit", "fill"},     {"gravity", "north"}, {"enlarge", "1"},      {"dpr", "2"},         {"format", "png"},
      {"quality", "5"},    {"effort", "5"},      {"lossless", "1"},     {"progressive", "1"}, {"strip", "1"},
      {"encoder", "json"}, {"thumb", "1"},       {"crop", "1,1,1,1"},   {"rotate", "90"},     {"flip", "h"},
      {"blur", "1"},       {"sharpen", "1"},     {"background", "fff"}, {"page", "1"},        {"frames", "1"}};
  EXPECT_EQ(values.size() + 1, transform_parameter_descriptions().size());
  for (const auto& [name, value] : values) {
    EXPECT_EQ(refusal({{name, value}}), "") << name;
    EXPECT_THAT(refusal({{name, value}, {name, value}}), AllOf(HasSubstr(name), HasSubstr("more than once")));
  }
}

TEST(Parameters, UnknownNamesAreNamedWithTheNearest) {
  EXPECT_EQ(refusal({{"qualty", "5"}}), "there is no parameter \"qualty\"; did you mean quality?");
  EXPECT_EQ(refusal({{"colour_of_the_sky", "5"}}), "there is no parameter \"colour_of_the_sky\"");
  EXPECT_EQ(refusal({{"Quality", "5"}}), "there is no parameter \"Quality\"; did you mean quality?");
  EXPECT_EQ(refusal({{"", "5"}}), "there is no parameter \"\"");
}

TEST(Parameters, NamesOfOtherServersAreUnderstood) {
  EXPECT_EQ(refusal({{"w", "300"}}), "there is no parameter \"w\"; did you mean sizes?");
  EXPECT_EQ(refusal({{"height", "300"}}), "there is no parameter \"height\"; did you mean sizes?");
  EXPECT_EQ(refusal({{"q", "80"}}), "there is no parameter \"q\"; did you mean quality?");
}

TEST(Parameters, HostileNamesAndValuesAreShownShort) {
  EXPECT_LT(refusal({{std::string(100'000, 'a'), ""}}).size(), 200U);
  EXPECT_LT(refusal({{"fit", std::string(100'000, 'a')}}).size(), 200U);
  EXPECT_THAT(refusal({{"fit", std::string("a\n\0\"", 4)}}), HasSubstr("\\n"));
}

TEST(Parameters, DescriptionsAreWhole) {
  for (const auto& row : transform_parameter_descriptions()) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.values.empty()) << row.name;
    EXPECT_FALSE(row.default_value.empty()) << row.name;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.name;
  }
}

/// What machines are told of the values must be what is read.
TEST(Parameters, DescriptionsAreTrue) {
  for (const auto& row : transform_parameter_descriptions()) {
    const std::string name(row.name);
    if (!row.shape.words.empty()) {
      for (const auto word : base::split(row.shape.words, ' '))
        EXPECT_EQ(refusal({{name, std::string(word)}}), "") << name;
    } else if (row.shape.type == ParameterShape::Type::kInteger || row.shape.type == ParameterShape::Type::kNumber) {
      for (const int value : {static_cast<int>(row.shape.smallest), static_cast<int>(row.shape.largest)}) {
        EXPECT_EQ(refusal({{name, std::to_string(value)}}), "") << name;
      }
      EXPECT_NE(refusal({{name, std::to_string(static_cast<int>(row.shape.smallest) - 1)}}), "") << name;
      EXPECT_NE(refusal({{name, std::to_string(static_cast<int>(row.shape.largest) + 1)}}), "") << name;
      EXPECT_EQ(refusal({{name, "1.5"}}) == "", row.shape.type == ParameterShape::Type::kNumber) << name;
    } else if (row.shape.type == ParameterShape::Type::kSwitch) {
      EXPECT_EQ(refusal({{name, "true"}}) + refusal({{name, "false"}}), "") << name;
    } else {
      EXPECT_FALSE(row.shape.pattern.empty()) << name;
    }
  }
}

}  // namespace
}  // namespace optimux::service
