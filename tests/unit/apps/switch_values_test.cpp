#include "apps/optimux/switch_values.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace optimux::apps {
namespace {

using Words = std::vector<std::string>;

class SwitchValuesTest : public testing::Test {
 protected:
  SwitchValuesTest() {
    CLI::App* command = program_.add_subcommand("transform");
    command->add_option("IN", inputs_);
    command->add_option("--name", name_);
    command->add_flag("--lossless", lossless_);
  }

  Words join(const std::vector<const char*>& words) const {
    std::vector<const char*> argv{"optimux"};
    argv.insert(argv.end(), words.begin(), words.end());
    return join_switch_values(program_, static_cast<int>(argv.size()), argv.data());
  }

  CLI::App program_;
  std::vector<std::string> inputs_;
  std::string name_;
  bool lossless_ = false;
};

TEST_F(SwitchValuesTest, ATruthValueBehindASwitchIsItsValue) {
  EXPECT_EQ(join({"transform", "--lossless", "false", "a.jpg"}), (Words{"transform", "--lossless=false", "a.jpg"}));
  EXPECT_EQ(join({"transform", "--lossless", "true"}), (Words{"transform", "--lossless=true"}));
}

TEST_F(SwitchValuesTest, AnyOtherWordStaysWhatItIs) {
  EXPECT_EQ(join({"transform", "--lossless", "a.jpg"}), (Words{"transform", "--lossless", "a.jpg"}));
  EXPECT_EQ(join({"transform", "--name", "true"}), (Words{"transform", "--name", "true"}));
  EXPECT_EQ(join({"transform", "true"}), (Words{"transform", "true"}));
  EXPECT_EQ(join({"transform", "--unknown", "true"}), (Words{"transform", "--unknown", "true"}));
  EXPECT_EQ(join({}), Words{});
}

}  // namespace
}  // namespace optimux::apps
