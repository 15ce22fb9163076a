#include "apps/optimux/settings/configuration_file.hpp"

#include "apps/optimux/settings/option_table.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace optimux::apps {
namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;

std::string place_of(std::string_view name, const toml::source_region& region) {
  return std::string(name) + ":" + std::to_string(region.begin.line);
}

tl::unexpected<base::Error> wrong_type(const Option& option, std::string_view expected) {
  const std::string range = option.range();
  return base::fail(base::ErrorCode::kInvalidParameter,
                    "wrong type: expected " + std::string(expected) + (range.empty() ? "" : ", " + range));
}

base::Result<OptionValue> read_quantity(const Option& option, const toml::node& node, std::string_view example) {
  if (const auto text = node.value_exact<std::string>()) return parse_option(option, *text);
  return wrong_type(option, example);
}

base::Result<OptionValue> read_list(const Option& option, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return wrong_type(option, "an array of texts");
  std::vector<std::string> items;
  for (const toml::node& item : *array) {
    const auto text = item.value_exact<std::string>();
    if (!text) return wrong_type(option, "an array of texts");
    items.push_back(*text);
  }
  return OptionValue(std::move(items));
}

// By rising name, as TOML keeps it.
base::Result<OptionValue> read_table(const Option& option, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return wrong_type(option, "a table of texts");
  std::vector<std::string> entries;
  for (const auto& [name, entry] : *table) {
    const auto text = entry.value_exact<std::string>();
    if (!text) return wrong_type(option, "a table of texts");
    entries.push_back(std::string(name.str()) + "=" + *text);
  }
  std::ranges::sort(entries);
  return OptionValue(std::move(entries));
}

base::Result<OptionValue> read_unchecked(const Option& option, const toml::node& node) {
  switch (option.type) {
    case OptionType::kBytes:
      if (const auto bytes = node.value_exact<std::int64_t>()) return OptionValue(*bytes);
      return read_quantity(option, node, "bytes (as in \"64MiB\")");
    case OptionType::kDuration: return read_quantity(option, node, "a duration (as in \"5s\" or \"250ms\")");
    case OptionType::kInteger:
      if (const auto number = node.value_exact<std::int64_t>()) return OptionValue(*number);
      return wrong_type(option, "a whole number");
    case OptionType::kBoolean:
      if (const auto truth = node.value_exact<bool>()) return OptionValue(*truth);
      return wrong_type(option, "a boolean");
    case OptionType::kText:
      if (const auto text = node.value_exact<std::string>()) return OptionValue(*text);
      return wrong_type(option, "a text in quotes");
    case OptionType::kTable: return read_table(option, node);
    case OptionType::kList: break;
  }
  return read_list(option, node);
}

void read_entry(FileReading& reading, std::string_view name, const toml::key& key, const toml::node& node) {
  const std::string place = place_of(name, key.source());
  const Option* option = find_option(key.str());
  if (option == nullptr) {
    const std::string hint = node.is_table() ? "; options stand in no table" : "";
    reading.problems.push_back({std::string(key.str()), place, unknown_key_message(key.str()) + hint});
    return;
  }
  auto value = read_unchecked(*option, node);
  const base::Status checked = value ? check_option(*option, *value) : base::fail(value.error());
  if (checked) {
    reading.entries.push_back({option, *std::move(value), place});
  } else {
    reading.problems.push_back({std::string(option->key), place, checked.error().detail});
  }
}

// A TOML table is sorted by key; people read a file from the top.
std::vector<std::pair<const toml::key*, const toml::node*>> in_order_of_lines(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  std::ranges::sort(entries, {}, [](const auto& entry) { return entry.first->source().begin.line; });
  return entries;
}

FileReading unreadable(const std::string& path, std::string message) {
  return FileReading{.entries = {}, .problems = {Problem{"", path, std::move(message)}}};
}

}  // namespace

FileReading read_configuration_text(std::string_view text, std::string_view name) {
  FileReading reading;
  try {
    const toml::table table = toml::parse(text, name);
    for (const auto& [key, node] : in_order_of_lines(table)) read_entry(reading, name, *key, *node);
  } catch (const toml::parse_error& error) {
    reading.problems.push_back({"", place_of(name, error.source()), std::string(error.description())});
  }
  return reading;
}

FileReading read_configuration_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path, "cannot be opened");
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) return unreadable(path, "cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return unreadable(path, "is larger than 1 MiB");
  return read_configuration_text(text, path);
}

}  // namespace optimux::apps
