#include "apps/optimux/transform/file_format.hpp"

#include "unit/apps/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace optimux::apps {
namespace {

using media::Format;

TEST(FileFormat, NamesTellFormatsInAnyCase) {
  EXPECT_EQ(format_of_name("a/b.JPG"), Format::kJpeg);
  EXPECT_EQ(format_of_name("b.jpe"), Format::kJpeg);
  EXPECT_EQ(format_of_name("b.tar.tiff"), Format::kTiff);
  EXPECT_EQ(format_of_name("b.heif"), Format::kHeic);
  for (const char* name : {"jpg", ".jpg", "b.svg", "b.", "b.jpg/", ""}) EXPECT_EQ(format_of_name(name), std::nullopt);
}

TEST(FileFormat, ContentTellsWhateverTheName) {
  const TemporaryFolder folder;
  EXPECT_EQ(format_of_file(folder.write("a.png", "GIF87a")), Format::kGif);
  EXPECT_EQ(format_of_file(folder.write("b.png", "text")), std::nullopt);
  EXPECT_EQ(format_of_file(folder.write("c.png", "")), std::nullopt);
}

TEST(FileFormat, WhatIsNoRegularFileIsNotLookedAt) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(format_of_file(folder / "pipe"), std::nullopt);
  EXPECT_EQ(format_of_file(folder.path()), std::nullopt);
  EXPECT_EQ(format_of_file(folder / "missing"), std::nullopt);
}

}  // namespace
}  // namespace optimux::apps
