#include "apps/optimux/arguments.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace optimux::apps {
namespace {

using Words = std::vector<std::string>;

class ArgumentsTest : public testing::Test {
 protected:
  ArgumentsTest() {
    CLI::App* command = program_.add_subcommand("transform");
    command->add_option("IN", inputs_);
    command->add_option("--name", name_);
    command->add_flag("--lossless", lossless_);
  }

  Words read(const std::vector<const char*>& words) const {
    std::vector<const char*> argv{"optimux"};
    argv.insert(argv.end(), words.begin(), words.end());
    return read_arguments(program_, static_cast<int>(argv.size()), argv.data());
  }

  CLI::App program_;
  std::vector<std::string> inputs_;
  std::string name_;
  bool lossless_ = false;
};

TEST_F(ArgumentsTest, ATruthValueBehindASwitchIsItsValue) {
  EXPECT_EQ(read({"transform", "--lossless", "false", "a.jpg"}), (Words{"transform", "--lossless=false", "a.jpg"}));
  EXPECT_EQ(read({"transform", "--lossless", "true"}), (Words{"transform", "--lossless=true"}));
}

TEST_F(ArgumentsTest, AnyOtherWordStaysWhatItIs) {
  EXPECT_EQ(read({"transform", "--lossless", "a.jpg"}), (Words{"transform", "--lossless", "a.jpg"}));
  EXPECT_EQ(read({"transform", "--name", "true"}), (Words{"transform", "--name", "true"}));
  EXPECT_EQ(read({"transform", "true"}), (Words{"transform", "true"}));
  EXPECT_EQ(read({"transform", "--unknown", "true"}), (Words{"transform", "--unknown", "true"}));
  EXPECT_EQ(read({}), Words{});
}

TEST_F(ArgumentsTest, AnEmptyValueIsNotTheNextWord) {
  EXPECT_EQ(read({"transform", "--name=", "a.jpg"}), (Words{"transform", "--name", "", "a.jpg"}));
  EXPECT_EQ(read({"transform", "--name=x", "a.jpg"}), (Words{"transform", "--name=x", "a.jpg"}));
  EXPECT_EQ(read({"transform", "--name==", "a.jpg"}), (Words{"transform", "--name==", "a.jpg"}));
  EXPECT_EQ(read({"transform", "--lossless=", "a="}), (Words{"transform", "--lossless=", "a="}));
  EXPECT_EQ(read({"transform", "--unknown=", "="}), (Words{"transform", "--unknown=", "="}));
}

TEST_F(ArgumentsTest, AnEmptyValueIsWhatTheFlagGets) {
  Words words = read({"transform", "--name=", "a.jpg"});
  std::reverse(words.begin(), words.end());  // As CLI11 wants them.
  name_ = "before";
  program_.parse(std::move(words));
  EXPECT_EQ(name_, "");
  EXPECT_EQ(inputs_, Words{"a.jpg"});
}

}  // namespace
}  // namespace optimux::apps
