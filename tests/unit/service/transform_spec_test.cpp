#include "service/transform_spec.hpp"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/parameters.hpp"

namespace optimux::service {
namespace {

using source::SourceLocator;

std::string key(const std::vector<Parameter>& parameters, std::size_t index = 0) {
  const auto parsed = parse_transform_parameters(parameters);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().detail);
  return rendition_key({{SourceLocator::Kind::kFile, "cat.jpg"}, parsed.value_or(TransformParameters{}).render}, index);
}

using Pairs = std::vector<Parameter>;

TEST(RenditionKey, OrderAndSpellingDoNotMatter) {
  EXPECT_EQ(key({{"sizes", "300x0"}, {"format", "jpeg"}}), key({{"format", "JPG"}, {"sizes", "300"}}));
  EXPECT_EQ(key({{"blur", "1.50"}}), key({{"blur", "1.5"}}));
  EXPECT_EQ(key({{"background", "#FFF"}}), key({{"background", "ffffff"}}));
}

TEST(RenditionKey, DefaultsDoNotMatter) {
  const Pairs defaults[] = {{{"sizes", "0x0"}},         {{"fit", "inside"}}, {{"gravity", "center"}},
                            {{"enlarge", "false"}},     {{"dpr", "1"}},      {{"lossless", "0"}},
                            {{"progressive", "false"}}, {{"strip", "true"}}, {{"encoder", "json"}},
                            {{"thumb", "0"}},           {{"rotate", "0"}},   {{"blur", "0"}},
                            {{"sharpen", "0.0"}},       {{"page", "0"}},     {{"format", "auto"}}};
  for (const auto& given : defaults) EXPECT_EQ(key(given), key({})) << given[0].name;
}

TEST(RenditionKey, DefaultsOfAnExplicitFormatDoNotMatter) {
  const Pairs defaults[] = {{{"format", "jpeg"}, {"quality", "80"}}, {{"format", "webp"}, {"quality", "79"}},
                            {{"format", "avif"}, {"quality", "63"}}, {{"format", "webp"}, {"effort", "4"}},
                            {{"format", "avif"}, {"effort", "2"}},   {{"format", "png"}, {"effort", "6"}},
                            {{"format", "gif"}, {"effort", "7"}},    {{"format", "jpeg"}, {"frames", "3"}}};
  for (const auto& given : defaults) {
    EXPECT_EQ(key(given), key({given[0]})) << given[0].value << " " << given[1].name;
    EXPECT_NE(key({given[1]}), key({})) << "without a format the default is not known: " << given[1].name;
  }
}

TEST(RenditionKey, WhatHasNoEffectDoesNotMatter) {
  EXPECT_EQ(key({{"gravity", "north"}, {"sizes", "3x3"}}), key({{"sizes", "3x3"}}));
  EXPECT_EQ(key({{"fit", "cover"}, {"gravity", "north"}, {"sizes", "3x0"}}), key({{"sizes", "3x0"}}));
  EXPECT_EQ(key({{"enlarge", "1"}, {"dpr", "3"}}), key({}));
  EXPECT_EQ(key({{"format", "webp"}, {"progressive", "1"}}), key({{"format", "webp"}}));
  EXPECT_EQ(key({{"crop", "0,0%,100%,100%"}}), key({}));
  EXPECT_EQ(key({{"format", "png"}, {"quality", "5"}}), key({{"format", "png"}}));
  EXPECT_EQ(key({{"format", "gif"}, {"quality", "5"}}), key({{"format", "gif"}}));
  EXPECT_EQ(key({{"format", "jpeg"}, {"effort", "5"}}), key({{"format", "jpeg"}}));
}

TEST(RenditionKey, ANegotiatedFormatThatCannotBeLosslessIsTheLossyOne) {
  TransformSpec lossy{{SourceLocator::Kind::kFile, "cat.jpg"}, {}};
  lossy.render.format = media::Format::kJpeg;
  TransformSpec wished = lossy;
  wished.render.lossless = true;
  EXPECT_EQ(rendition_key(wished, 0), rendition_key(lossy, 0));
}

TEST(RenditionKey, WhatMayHaveAnEffectMatters) {
  EXPECT_NE(key({{"fit", "contain"}, {"gravity", "north"}, {"sizes", "3x3"}}),
            key({{"fit", "contain"}, {"sizes", "3x3"}}));
  EXPECT_NE(key({{"fit", "cover"}, {"gravity", "fp:0.5,0.5"}, {"sizes", "3x3"}}),
            key({{"fit", "cover"}, {"sizes", "3x3"}}));
  EXPECT_NE(key({{"lossless", "1"}}), key({}));
  EXPECT_NE(key({{"progressive", "1"}}), key({}));
  EXPECT_NE(key({{"format", "webp"}, {"lossless", "1"}, {"quality", "79"}}),
            key({{"format", "webp"}, {"lossless", "1"}}));
  EXPECT_NE(key({{"crop", "0,0,100%,99%"}}), key({}));
  EXPECT_NE(key({{"background", "fff"}}), key({}));
  EXPECT_NE(key({{"format", "webp"}, {"frames", "-1"}}), key({{"format", "webp"}})) << "pages that are no animation";
}

TEST(RenditionKey, DensityIsMultipliedIntoTheSize) {
  EXPECT_EQ(key({{"dpr", "2"}, {"sizes", "150x75"}}), key({{"sizes", "300x150"}}));
  EXPECT_EQ(key({{"dpr", "1.5"}, {"sizes", "33"}}), key({{"sizes", "50"}}));
  EXPECT_NE(key({{"dpr", "2"}, {"sizes", "300"}}), key({{"sizes", "300"}}));
}

TEST(RenditionKey, AThumbnailsMissingSideEqualsTheOther) {
  EXPECT_EQ(key({{"thumb", "1"}, {"sizes", "90"}}), key({{"thumb", "1"}, {"sizes", "90x90"}}));
  EXPECT_EQ(key({{"thumb", "1"}, {"sizes", "x90"}}), key({{"thumb", "1"}, {"sizes", "90x90"}}));
  EXPECT_NE(key({{"thumb", "1"}, {"sizes", "90x90"}}), key({{"sizes", "90x90"}}));
}

TEST(RenditionKey, OtherSizesBesideItDoNotMatter) {
  const Pairs several = {{"sizes", "300,600x10,0x0"}, {"fit", "cover"}, {"gravity", "east"}};
  EXPECT_EQ(key(several, 0), key({{"sizes", "300"}}));
  EXPECT_EQ(key(several, 1), key({{"sizes", "600x10"}, {"fit", "cover"}, {"gravity", "east"}}));
  EXPECT_EQ(key(several, 2), key({}));
}

TEST(RenditionKey, EveryParameterMakesAnotherRendition) {
  const Pairs base = {{"sizes", "30x40"}, {"fit", "cover"}};
  const Parameter more[] = {{"gravity", "north"},
                            {"gravity", "smart"},
                            {"gravity", "fp:0.1,0.2"},
                            {"gravity", "fp:0.2,0.1"},
                            {"enlarge", "1"},
                            {"dpr", "2"},
                            {"format", "png"},
                            {"format", "webp"},
                            {"format", "jpeg"},
                            {"quality", "5"},
                            {"effort", "5"},
                            {"lossless", "1"},
                            {"progressive", "1"},
                            {"strip", "0"},
                            {"thumb", "1"},
                            {"crop", "1,1,1,1"},
                            {"crop", "1%,1,1,1"},
                            {"crop", "11,1,1,1"},
                            {"rotate", "90"},
                            {"flip", "h"},
                            {"flip", "v"},
                            {"blur", "5"},
                            {"sharpen", "5"},
                            {"background", "000"},
                            {"background", "010000"},
                            {"page", "5"},
                            {"frames", "5"},
                            {"frames", "-1"}};
  std::set<std::string> keys = {key(base)};
  for (const auto& parameter : more) {
    Pairs with = base;
    with.push_back(parameter);
    EXPECT_TRUE(keys.insert(key(with)).second) << parameter.name << "=" << parameter.value;
  }
}

TEST(RenditionKey, SourcesAreToldApart) {
  const auto key_of = [](SourceLocator::Kind kind, std::string value) {
    return rendition_key({{kind, std::move(value)}, {}}, 0);
  };
  EXPECT_NE(key_of(SourceLocator::Kind::kFile, "a"), key_of(SourceLocator::Kind::kFile, "b"));
  EXPECT_NE(key_of(SourceLocator::Kind::kFile, "a"), key_of(SourceLocator::Kind::kHttp, "a"));
}

TEST(RenditionKey, ASourceNameCannotImitateParameters) {
  TransformSpec plain{{SourceLocator::Kind::kFile, "blur=5;file:a"}, {}};
  TransformSpec blurred{{SourceLocator::Kind::kFile, "a"}, {}};
  blurred.render.blur = 5;
  EXPECT_NE(rendition_key(plain, 0), rendition_key(blurred, 0));
}

TEST(RenditionKey, IsPrintable) {
  for (const char letter : key({{"sizes", "30x40"}, {"crop", "1%,1,1,1"}, {"blur", "0.1"}})) {
    EXPECT_TRUE(letter > ' ' && letter <= '~');
  }
}

TEST(InfoKey, IsNoRenditionsKey) {
  const SourceLocator source{SourceLocator::Kind::kFile, "a"};
  EXPECT_NE(info_key(source), rendition_key({source, {}}, 0));
  EXPECT_NE(info_key(source), info_key({SourceLocator::Kind::kHttp, "a"}));
}

TEST(CanonicalSpec, KeepsTheNumberAndOrderOfSizes) {
  media::RenderSpec spec;
  spec.sizes = {{10, 0}, {20, 20}, {0, 0}};
  spec.dpr = 2;
  EXPECT_THAT(canonical(spec).sizes, testing::ElementsAre(media::Size{20, 0}, media::Size{40, 40}, media::Size{0, 0}));
}

}  // namespace
}  // namespace optimux::service
