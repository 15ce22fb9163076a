#include "apps/optimux/transform/input_list.hpp"

#include "unit/apps/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

class InputListTest : public testing::Test {
 protected:
  // Each input as `folder|stem|name below the test's folder`.
  std::vector<std::string> find(const std::vector<std::string>& arguments, InputOptions options = {}) {
    const auto list = find_inputs(arguments, options);
    EXPECT_TRUE(list);
    std::vector<std::string> found;
    for (const Input& input : list->inputs) {
      const std::string name = input.kind == Input::Kind::kFile
                                   ? std::filesystem::path(input.name).lexically_relative(folder_.path()).string()
                                   : input.name;
      found.push_back(input.folder.string() + "|" + input.stem + "|" + name);
    }
    passed_over_ = list->passed_over;
    return found;
  }

  TemporaryFolder folder_;
  std::size_t passed_over_ = 0;
};

using Strings = std::vector<std::string>;

TEST_F(InputListTest, FilesAreTakenAsTheyAre) {
  const auto text = folder_.write("notes.txt");
  EXPECT_EQ(find({text, folder_ / "missing.jpg"}), (Strings{"|notes|notes.txt", "|missing|missing.jpg"}));
}

TEST_F(InputListTest, AFolderStandsForItsImagesInOrder) {
  for (const char* name : {"b.JPG", "a.png", "c.heic", "notes.txt", ".hidden.jpg", "below/d.webp"}) folder_.write(name);
  EXPECT_EQ(find({folder_.path()}), (Strings{"|a|a.png", "|b|b.JPG", "|c|c.heic"}));
  EXPECT_EQ(passed_over_, 1U);
}

TEST_F(InputListTest, RecursionKeepsTheStructure) {
  for (const char* name : {"a.png", "x/b.jpg", "x/y/c.gif", ".git/d.jpg"}) folder_.write(name);
  EXPECT_EQ(find({folder_.path()}, {.recursive = true, .output = {}}),
            (Strings{"|a|a.png", "x|b|x/b.jpg", "x/y|c|x/y/c.gif"}));
}

TEST_F(InputListTest, LinksToFoldersAreNotFollowed) {
  folder_.write("x/a.jpg");
  std::filesystem::create_directory_symlink(folder_.path(), folder_ / "x/loop");
  std::filesystem::create_symlink(folder_ / "x/a.jpg", folder_ / "x/link.jpg");
  EXPECT_EQ(find({folder_.path()}, {.recursive = true, .output = {}}), (Strings{"x|a|x/a.jpg", "x|link|x/link.jpg"}));
}

TEST_F(InputListTest, AnInputFolderThatIsTheOutputToo) {
  for (const char* name : {"a.jpg", "a.webp", "x/b.png", "x/b.WEBP"}) folder_.write(name);
  const InputOptions options{.recursive = true, .output = folder_.path(), .format = media::Format::kWebp};
  EXPECT_EQ(find({folder_.path()}, options), (Strings{"|a|a.jpg", "x|b|x/b.png"}));
  EXPECT_EQ(passed_over_, 0U);
  const auto list = find_inputs(Strings{folder_.path().string()}, options);
  EXPECT_EQ(list->results, 2U);
  EXPECT_TRUE(list->has_output);
  // Elsewhere a WebP is an input like any other.
  EXPECT_EQ(find({folder_ / "x"}, options), (Strings{"|b|x/b.WEBP", "|b|x/b.png"}));
}

TEST_F(InputListTest, TheOutputFolderIsNoInput) {
  folder_.write("a.jpg");
  folder_.write("small/a.jpg");
  EXPECT_EQ(find({folder_.path()}, {.recursive = true, .output = folder_ / "small"}), (Strings{"|a|a.jpg"}));
}

TEST_F(InputListTest, AStemFromAUrlIsAPlainName) {
  EXPECT_EQ(find({"http://h/a/b%20c.jpg?x=/y#z", "https://h", "HTTP://h/..%2F..%2Fetc%2Fpasswd", "http://h/%2e%2e",
                  "http://h/a%00b.png"}),
            (Strings{"|b c|http://h/a/b%20c.jpg?x=/y#z", "|image|https://h", "|.._.|HTTP://h/..%2F..%2Fetc%2Fpasswd",
                     "|image|http://h/%2e%2e", "|a_b|http://h/a%00b.png"}));
}

TEST_F(InputListTest, StandardInputIsGivenOnce) {
  EXPECT_EQ(find({"-"}), (Strings{"|stdin|-"}));
  EXPECT_FALSE(find_inputs(Strings{"-", "-"}, {}));
}

TEST_F(InputListTest, KnowsEachFileByWhatItIs) {
  const auto file = folder_.write("a.jpg");
  std::filesystem::create_symlink(file, folder_ / "link.jpg");
  std::filesystem::create_hard_link(file, folder_ / "twin.jpg");
  const auto list = find_inputs(Strings{file, folder_ / "missing.jpg"}, {});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->identities.size(), 1U);
  EXPECT_TRUE(list->identities.contains(identity_of(folder_ / "link.jpg")));
  EXPECT_TRUE(list->identities.contains(identity_of(folder_ / "twin.jpg")));
  EXPECT_EQ(identity_of(folder_ / "missing.jpg"), FileIdentity{});
}

}  // namespace
}  // namespace optimux::apps
