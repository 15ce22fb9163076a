#include "apps/optimux/settings/option_writer.hpp"

#include "apps/optimux/settings/configuration_file.hpp"
#include "apps/optimux/settings/option_table.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace optimux::apps {
namespace {

TEST(OptionWriter, TheDefaultsFileIsCompleteAndValid) {
  const FileReading reading = read_configuration_text(write_defaults(), "defaults");
  EXPECT_TRUE(reading.problems.empty());
  ASSERT_EQ(reading.entries.size(), option_table().size());
  for (const FileEntry& entry : reading.entries)
    EXPECT_EQ(entry.value, entry.option->default_value()) << entry.option->key;
}

TEST(OptionWriter, TheDefaultsFileNamesUnitsAndRanges) {
  const std::string text = write_defaults();
  EXPECT_NE(
      text.find("# bytes: 0B to 1TiB. OPTIMUX_MEMORY_CACHE, --memory-cache. Reloadable\nmemory_cache = \"256MiB\"\n"),
      std::string::npos);
}

TEST(OptionWriter, TheEffectiveConfigurationReadsBackAndNamesOrigins) {
  const auto configuration = load_configuration(
      {.file = {}, .environment = {{"OPTIMUX_ROOT", "a \"b\""}}, .flags = {{find_option("docs"), "no"}}});
  ASSERT_TRUE(configuration);
  const std::string text = write_effective(*configuration);
  EXPECT_NE(text.find("root = \"a \\\"b\\\"\"  # environment OPTIMUX_ROOT\n"), std::string::npos);
  EXPECT_NE(text.find("docs = false  # flag --docs\n"), std::string::npos);
  EXPECT_NE(text.find("image_queue = 1000  # default\n"), std::string::npos);
  const FileReading reading = read_configuration_text(text, "effective");
  EXPECT_TRUE(reading.problems.empty());
  for (const FileEntry& entry : reading.entries) {
    EXPECT_EQ(entry.value, entry.option->get(configuration->settings())) << entry.option->key;
  }
}

TEST(OptionWriter, JsonHasNumbersForBytesAndTimes) {
  const auto configuration = load_configuration({.file = {}, .environment = {}, .flags = {{find_option("root"), "x"}}});
  ASSERT_TRUE(configuration);
  const auto document = nlohmann::json::parse(write_effective_json(*configuration));
  EXPECT_EQ(document.size(), option_table().size());
  EXPECT_EQ(document["memory_cache"]["value"], 268'435'456);
  EXPECT_EQ(document["idle_timeout"]["value"], 60'000);
  EXPECT_EQ(document["root"]["value"], "x");
  EXPECT_EQ(document["root"]["origin"], "flag");
  EXPECT_EQ(document["root"]["place"], "--root");
}

TEST(OptionWriter, ASecretIsShownToNobody) {
  const std::string secret(64, '5');
  const auto configuration =
      load_configuration({.file = {}, .environment = {{"OPTIMUX_SIGNING_KEYS", secret}}, .flags = {}});
  ASSERT_TRUE(configuration);
  ASSERT_EQ(configuration->settings().server.signing_keys, std::vector<std::string>{secret});
  const std::string text = write_effective(*configuration);
  EXPECT_NE(text.find("# signing_keys = (secret)  # environment OPTIMUX_SIGNING_KEYS\n"), std::string::npos);
  EXPECT_TRUE(read_configuration_text(text, "effective").problems.empty());
  const std::string json = write_effective_json(*configuration);
  EXPECT_EQ(nlohmann::json::parse(json)["signing_keys"]["value"], "(secret)");
  for (const std::string& output : {text, json}) EXPECT_EQ(output.find("5555"), std::string::npos);
}

TEST(OptionWriter, AWrongSecretIsShownToNobody) {
  const auto configuration =
      load_configuration({.file = {}, .environment = {{"OPTIMUX_SIGNING_KEYS", "5ec7e7"}}, .flags = {}});
  ASSERT_FALSE(configuration);
  const std::string text = configuration.error().front().text();
  EXPECT_EQ(text.find("5ec7"), std::string::npos) << text;
  EXPECT_NE(text.find("OPTIMUX_SIGNING_KEYS: signing_keys: the value is not allowed: expected 32 to 512"),
            std::string::npos)
      << text;
}

TEST(OptionWriter, TheDocumentationPageIsUpToDate) {
  std::ifstream file(OPTIMUX_OPTIONS_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), write_markdown()) << "write it again with `optimux config --markdown > docs/options.md`";
}

}  // namespace
}  // namespace optimux::apps
