#include "apps/optimux/transform/name_template.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

const NameValues kKnown{
    .name = "photo.jpg", .stem = "photo", .size = "300x0", .index = 2, .extension = "webp", .dimensions = {{300, 169}}};

std::optional<std::string> filled(std::string_view text, const NameValues& values = kKnown) {
  const auto parsed = NameTemplate::parse(text);
  return parsed ? parsed->fill(values) : std::nullopt;
}

TEST(NameTemplate, FillsEveryField) {
  EXPECT_EQ(filled("{stem}-{width}x{height}-{size}-{index}.{ext}"), "photo-300x169-300x0-2.webp");
  EXPECT_EQ(filled("{name}.{ext}"), "photo.jpg.webp");
  EXPECT_EQ(filled("plain"), "plain");
  EXPECT_EQ(filled("{size}/{stem}.{ext}"), "300x0/photo.webp");
}

TEST(NameTemplate, WaitsForWhatIsNotKnownYet) {
  const NameValues unknown{.name = "photo.jpg", .stem = "photo", .size = "300x0"};
  EXPECT_EQ(filled("{stem}-{size}-{index}", unknown), "photo-300x0-1");
  EXPECT_EQ(filled("{stem}.{ext}", unknown), std::nullopt);
  EXPECT_EQ(filled("{stem}-{width}", unknown), std::nullopt);
  EXPECT_EQ(filled("{stem}-{height}", unknown), std::nullopt);
}

TEST(NameTemplate, AStemWithBracesIsNotReadAgain) {
  NameValues values = kKnown;
  values.stem = "{ext}";
  EXPECT_EQ(filled("{stem}.{ext}", values), "{ext}.webp");
}

TEST(NameTemplate, StaysBelowTheFolder) {
  for (const char* text : {"../{stem}.{ext}", "../../{stem}.{ext}", "a/../../{stem}", "{size}/..", "/{stem}.{ext}"}) {
    EXPECT_FALSE(NameTemplate::parse(text)) << text;
  }
  EXPECT_EQ(NameTemplate::parse("../{stem}").error().detail,
            "name template '../{stem}': '..' would leave the output folder");
  EXPECT_EQ(filled("..{stem}..{ext}"), "..photo..webp");
}

TEST(NameTemplate, RefusesWhatNamesNoFileBelowTheFolder) {
  for (const char* text : {"", "a/", "/etc/{stem}", "{stem", "{title}", "{}", "{stem}.{extension}"}) {
    EXPECT_FALSE(NameTemplate::parse(text)) << text;
  }
  EXPECT_EQ(NameTemplate::parse("{title}.{ext}").error().detail,
            "name template '{title}.{ext}': in braces are known: name, stem, ext, size, index, width, height");
}

}  // namespace
}  // namespace optimux::apps
