#include "apps/optimux/settings/configuration_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace optimux::apps {
namespace {

std::string problem_of(std::string_view text) {
  const FileReading reading = read_configuration_text(text, "a.toml");
  return reading.problems.size() == 1 ? reading.problems[0].text()
                                      : std::to_string(reading.problems.size()) + " problems";
}

TEST(ConfigurationFile, ReadsEachType) {
  const FileReading reading = read_configuration_text(
      "listen = ['127.0.0.1:1', '[::1]:2']\ndocs = false\nimage_queue = 7\nmemory_cache = '1MiB'\n"
      "max_source_bytes = 4096\nidle_timeout = '2m'\nroot = 'photos'\n",
      "a.toml");
  ASSERT_TRUE(reading.problems.empty()) << reading.problems[0].text();
  ASSERT_EQ(reading.entries.size(), 7U);
  EXPECT_EQ(reading.entries[0].value, OptionValue(std::vector<std::string>{"127.0.0.1:1", "[::1]:2"}));
  EXPECT_EQ(reading.entries[1].value, OptionValue(false));
  EXPECT_EQ(reading.entries[2].value, OptionValue(std::int64_t{7}));
  EXPECT_EQ(reading.entries[3].value, OptionValue(std::int64_t{1'048'576}));
  EXPECT_EQ(reading.entries[4].value, OptionValue(std::int64_t{4'096}));
  EXPECT_EQ(reading.entries[5].value, OptionValue(std::int64_t{120'000}));
  EXPECT_EQ(reading.entries[6].value, OptionValue(std::string("photos")));
  EXPECT_EQ(reading.entries[6].place, "a.toml:7");
}

TEST(ConfigurationFile, AnEmptyFileIsRight) {
  const FileReading reading = read_configuration_text("# nothing\n", "a.toml");
  EXPECT_TRUE(reading.entries.empty());
  EXPECT_TRUE(reading.problems.empty());
}

TEST(ConfigurationFile, ProblemsNameLineKeyAndWhatWasExpected) {
  EXPECT_EQ(problem_of("\nlisen = ['a']\n"), "a.toml:2: lisen: unknown option; did you mean 'listen'?");
  EXPECT_EQ(problem_of("[server]\ndocs = true\n"), "a.toml:1: server: unknown option; options stand in no table");
  EXPECT_EQ(problem_of("image_queue = 0\n"), "a.toml:1: image_queue: 0 is out of range: expected 1 to 1000000");
  EXPECT_EQ(problem_of("image_queue = '5'\n"),
            "a.toml:1: image_queue: wrong type: expected a whole number, 1 to 1000000");
  EXPECT_EQ(problem_of("image_queue = 5.5\n"),
            "a.toml:1: image_queue: wrong type: expected a whole number, 1 to 1000000");
  EXPECT_EQ(problem_of("idle_timeout = 5\n"),
            "a.toml:1: idle_timeout: wrong type: expected a duration (as in \"5s\" or \"250ms\"), 1ms to 24h");
  EXPECT_EQ(problem_of("docs = 'yes'\n"), "a.toml:1: docs: wrong type: expected a boolean, true or false");
  EXPECT_EQ(problem_of("root = 5\n"), "a.toml:1: root: wrong type: expected a text in quotes, a folder, or nothing");
  EXPECT_EQ(problem_of("[listen]\nx = 1\n").substr(0, 42), "a.toml:1: listen: wrong type: expected an ");
  EXPECT_EQ(problem_of("listen = [1]\n").substr(0, 42), "a.toml:1: listen: wrong type: expected an ");
  EXPECT_EQ(problem_of("max_source_bytes = 1.5\n").substr(0, 40), "a.toml:1: max_source_bytes: wrong type: ");
}

TEST(ConfigurationFile, ASyntaxErrorNamesItsLine) {
  EXPECT_EQ(problem_of("docs = true\nroot = \n").substr(0, 9), "a.toml:2:");
  EXPECT_EQ(problem_of("docs = true\ndocs = true\n").substr(0, 9), "a.toml:2:");
  EXPECT_EQ(problem_of("root = \"\xff\"\n").substr(0, 9), "a.toml:1:");
}

TEST(ConfigurationFile, AllProblemsAreFoundInTheOrderOfTheFile) {
  const FileReading reading = read_configuration_text("zzz = 1\nimage_queue = 0\naaa = 1\ndocs = true\n", "a.toml");
  ASSERT_EQ(reading.problems.size(), 3U);
  EXPECT_EQ(reading.problems[0].place, "a.toml:1");
  EXPECT_EQ(reading.problems[1].place, "a.toml:2");
  EXPECT_EQ(reading.problems[2].place, "a.toml:3");
  EXPECT_EQ(reading.entries.size(), 1U);
}

TEST(ConfigurationFile, AFileThatCannotBeReadIsAProblem) {
  const FileReading missing = read_configuration_file("/no/such/file.toml");
  ASSERT_EQ(missing.problems.size(), 1U);
  EXPECT_EQ(missing.problems[0].text(), "/no/such/file.toml: cannot be opened");
  const FileReading folder = read_configuration_file("/");
  ASSERT_EQ(folder.problems.size(), 1U);
  EXPECT_EQ(folder.problems[0].text(), "/: cannot be read");
  const FileReading endless = read_configuration_file("/dev/zero");
  ASSERT_EQ(endless.problems.size(), 1U);
  EXPECT_EQ(endless.problems[0].text(), "/dev/zero: is larger than 1 MiB");
}

}  // namespace
}  // namespace optimux::apps
