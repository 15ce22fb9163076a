#include "apps/optimux/settings/option_table.hpp"

#include "apps/optimux/settings/cross_checks.hpp"

#include <gtest/gtest.h>

#include <set>

namespace optimux::apps {
namespace {

// A value that is allowed and is not the default.
OptionValue another_value(const Option& option) {
  struct Change {
    const Option& option;

    OptionValue operator()(bool truth) const { return !truth; }
    OptionValue operator()(std::int64_t number) const {
      return number + option.step <= option.max ? number + option.step : number - option.step;
    }
    OptionValue operator()(const std::string& text) const {
      if (option.choices.empty()) return option.key == "unix_mode" ? "0600" : "127.0.0.1:9/";
      return std::string(option.choices[0] == text ? option.choices[1] : option.choices[0]);
    }
    OptionValue operator()(const std::vector<std::string>& texts) const {
      std::vector<std::string> more = texts;
      more.push_back("127.0.0.1:9");
      return more;
    }
  };
  return std::visit(Change{option}, option.default_value());
}

TEST(OptionTable, KeysAreUniqueAndInSnakeCase) {
  std::set<std::string_view> keys;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
    EXPECT_EQ(option.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos)
        << option.key;
  }
}

TEST(OptionTable, EveryOptionIsDescribed) {
  for (const Option& option : option_table()) {
    EXPECT_TRUE(option.meaning.ends_with('.')) << option.key;
    EXPECT_FALSE(option.range().empty()) << option.key;
  }
}

TEST(OptionTable, EveryDefaultIsInItsRangeAndReadsBack) {
  for (const Option& option : option_table()) {
    const OptionValue value = option.default_value();
    EXPECT_TRUE(check_option(option, value)) << option.key;
    EXPECT_EQ(parse_option(option, format_option(option, value)), value) << option.key;
  }
}

TEST(OptionTable, EveryOptionReachesAFieldOfItsOwn) {
  for (const Option& option : option_table()) {
    Settings settings;
    const OptionValue value = another_value(option);
    option.set(settings, value);
    for (const Option& other : option_table()) {
      const OptionValue expected = other.key == option.key ? value : other.default_value();
      EXPECT_EQ(other.get(settings), expected) << option.key << " -> " << other.key;
    }
  }
}

TEST(OptionTable, DefaultsGoTogether) {
  EXPECT_TRUE(cross_check(Configuration{}).empty());
}

TEST(OptionTable, NamesThatOthersRelyOnExist) {
  for (const char* key : {"listen", "admin", "root", "allow_source", "memory_cache", "image_workers_min",
                          "image_workers_max", "image_queue", "log_format"}) {
    EXPECT_NE(find_option(key), nullptr) << key;
  }
  EXPECT_EQ(find_option("no_such_key"), nullptr);
}

TEST(OptionTable, AddressesNeedARestartAndLimitsDoNot) {
  EXPECT_FALSE(find_option("listen")->reloadable);
  EXPECT_FALSE(find_option("image_queue")->reloadable);
  EXPECT_TRUE(find_option("max_connections")->reloadable);
  EXPECT_TRUE(find_option("image_workers_max")->reloadable);
  EXPECT_TRUE(find_option("log_level")->reloadable);
}

TEST(OptionTable, AMisspeltKeyIsToldTheNearestOne) {
  EXPECT_EQ(unknown_key_message("memory_cash"), "unknown option; did you mean 'memory_cache'?");
  EXPECT_EQ(unknown_key_message("completely_different"), "unknown option");
}

}  // namespace
}  // namespace optimux::apps
