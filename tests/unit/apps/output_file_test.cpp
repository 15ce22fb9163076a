#include "apps/optimux/transform/output_file.hpp"

#include "unit/apps/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace optimux::apps {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

using Names = std::set<std::string>;

class OutputFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, AppearsUnderItsNameOnlyWhenCommitted) {
  auto file = OutputFile::create(folder_ / "x/y/a.webp");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(bytes_of("one")));
  ASSERT_TRUE(file->write(bytes_of("two")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x/y/a.webp"));
  ASSERT_TRUE(file->commit(false));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "x/y/a.webp"), "onetwo");
  EXPECT_EQ(folder_.files(), Names{"x/y/a.webp"});
  EXPECT_EQ(file->size(), 6U);
}

TEST_F(OutputFileTest, LeavesNothingWhenNotCommitted) {
  {
    auto file = OutputFile::create(folder_ / "a.webp");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(bytes_of("half")));
    EXPECT_EQ(folder_.files().size(), 1U);
  }
  EXPECT_EQ(folder_.files(), Names{});
}

TEST_F(OutputFileTest, AFileThatCameMeanwhileStaysUnlessItMayBeReplaced) {
  auto file = OutputFile::create(folder_ / "a.webp");
  ASSERT_TRUE(file && file->write(bytes_of("new")));
  folder_.write("a.webp", "old");
  const auto refused = file->commit(false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, "cannot write '" + (folder_ / "a.webp").string() + "': File exists");
  auto second = OutputFile::create(folder_ / "a.webp");
  ASSERT_TRUE(second && second->write(bytes_of("new")));
  EXPECT_TRUE(second->commit(true));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "a.webp"), "new");
}

TEST_F(OutputFileTest, ALinkStaysALink) {
  folder_.write("target.webp", "old");
  std::filesystem::create_symlink("target.webp", folder_ / "link.webp");
  auto file = OutputFile::create(folder_ / "link.webp");
  ASSERT_TRUE(file && file->write(bytes_of("new")) && file->commit(true));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.webp"));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "target.webp"), "new");
}

TEST_F(OutputFileTest, DevicesAreWrittenAsTheyAre) {
  auto null = OutputFile::create("/dev/null");
  ASSERT_TRUE(null && null->write(bytes_of("gone")) && null->commit(false));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  auto full = OutputFile::create("/dev/full");
  ASSERT_TRUE(full);
  const auto written = full->write(bytes_of("too much"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().detail, "cannot write '/dev/full': No space left on device");
}

TEST_F(OutputFileTest, AnErrorNamesThePathAndTheReason) {
  folder_.write("a");
  const auto below_a_file = OutputFile::create(folder_ / "a/b.webp");
  ASSERT_FALSE(below_a_file);
  EXPECT_EQ(below_a_file.error().detail, "cannot write '" + (folder_ / "a/b.webp").string() + "': Not a directory");
  const auto folder = OutputFile::create(folder_ / (std::string(300, 'n') + "/b.webp"));
  ASSERT_FALSE(folder);
  EXPECT_TRUE(folder.error().detail.ends_with("File name too long"));
}

TEST_F(OutputFileTest, ALongNameStillHasRoomForTheTemporaryOne) {
  const std::string name(250, 'n');
  auto file = OutputFile::create(folder_ / name);
  ASSERT_TRUE(file && file->write(bytes_of("x")) && file->commit(false));
  EXPECT_EQ(folder_.files(), Names{name});
}

}  // namespace
}  // namespace optimux::apps
