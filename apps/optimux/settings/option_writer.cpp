#include "apps/optimux/settings/option_writer.hpp"

#include "apps/optimux/settings/option_table.hpp"
#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace optimux::apps {
namespace {

std::string list_to_toml(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) (out += out.empty() ? "" : ", ") += base::json_quote(item);
  return "[" + out + "]";
}

// In one line: behind `[name]` everything would belong to the table.
std::string table_to_toml(const std::vector<std::string>& entries) {
  std::string out;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    (out += out.empty() ? "" : ", ") += base::json_quote(entry.substr(0, equals)) + " = " +
                                        base::json_quote(entry.substr(std::min(equals + 1, entry.size())));
  }
  return out.empty() ? "{}" : "{ " + out + " }";
}

// `text: HOST:PORT`, or the type alone where the range says no more.
std::string type_and_range(const Option& option) {
  const std::string type(name_of(option.type));
  const std::string range = option.range();
  return range.empty() || range == type ? type : type + ": " + range;
}

std::string comment_of(const Option& option) {
  return "# " + std::string(option.meaning) + "\n# " + type_and_range(option) + ". " + option.variable() + ", " +
         option.flag() + (option.reloadable ? ". Reloadable" : "") + "\n";
}

std::string heading(OptionGroup group) {
  return "\n# ---- " + std::string(title_of(group)) + " ----\n";
}

template <class Visit>
void for_each_in_groups(std::string& out, std::string (*title)(OptionGroup), Visit visit) {
  for (const OptionGroup group : kOptionGroups) {
    out += title(group);
    for (const Option& option : option_table()) {
      if (option.group == group) visit(option);
    }
  }
}

std::string describe(const Origin& origin) {
  const std::string kind(name_of(origin.kind));
  return origin.place.empty() ? kind : kind + " " + origin.place;
}

nlohmann::json value_to_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

std::string escape_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown_heading(OptionGroup group) {
  return "\n## " + std::string(title_of(group)) +
         "\n\n| key | flag | variable | value | default | meaning | reload |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n";
}

std::string markdown_row(const Option& option) {
  std::string row;
  const auto cell = [&](const std::string& text) { row += "| " + escape_cell(text) + " "; };
  cell("`" + std::string(option.key) + "`");
  cell("`" + option.flag() + "`");
  cell("`" + option.variable() + "`");
  cell(type_and_range(option));
  cell("`" + to_toml(option, option.default_value()) + "`");
  cell(std::string(option.meaning));
  cell(option.reloadable ? "yes" : "no");
  return row + "|\n";
}

constexpr std::string_view kDefaultsIntroduction =
    "# All options of optimux with their defaults. Flags are stronger than variables, variables than this file.\n"
    "# Bytes: \"64MiB\", \"512KiB\" or a bare number. Durations: \"250ms\", \"5s\", \"2m\", \"1h\".\n";

constexpr std::string_view kMarkdownIntroduction =
    R"(# Options

<!-- Made by `optimux config --markdown`; a test compares. -->

Every option is a key of the TOML file given by `--config` (or `OPTIMUX_CONFIG`), an environment variable, and a flag.
A flag is stronger than a variable, a variable than the file, the file than the default. Unknown keys, wrong types and
values out of range end the program with exit code 3 and a message that names the key and the file with its line, the
variable or the flag. A variable that begins with `OPTIMUX_` and is no option gives a warning.

- **bytes**: `64MiB`, `512KiB`, `1GB`, `4096B`; in the file also a bare number.
- **duration**: `250ms`, `5s`, `2m`, `1h`; a bare number is refused.
- **true or false**: in a variable or after a flag also `1` or `0`, `yes` or `no`, `on` or `off`, as shells and orchestrators
  write them. Parameters of a URL take `true`, `false`, `1` and `0` alone: fewer spellings, fewer cache entries on the way.
- **words**, as `info` or `phases`: in a variable or after a flag in any case.
- **list**: an array in the file, comma-separated in a variable, a repeated flag. A stronger list replaces a weaker one.
- **table**: texts by name: a table in the file (`[presets]`, and below it `thumb = "sizes=100x100"`), `NAME=TEXT` with `;` between them in a variable,
  a repeated flag. A stronger table replaces a weaker one.
- **reload**: whether a running server takes the new value on SIGHUP; the others need a restart.

`optimux config` prints the values in effect and where each comes from, `optimux config --defaults` a complete file.
)";

}  // namespace

std::string to_toml(const Option& option, const OptionValue& value) {
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    return option.type == OptionType::kTable ? table_to_toml(*items) : list_to_toml(*items);
  }
  const bool is_bare = option.type == OptionType::kInteger || option.type == OptionType::kBoolean;
  const std::string text = format_option(option, value);
  return is_bare ? text : base::json_quote(text);
}

std::string write_defaults() {
  std::string out(kDefaultsIntroduction);
  for_each_in_groups(out, heading, [&](const Option& option) {
    out += "\n" + comment_of(option) + std::string(option.key) + " = " + to_toml(option, option.default_value()) + "\n";
  });
  return out;
}

std::string write_effective(const Configuration& configuration) {
  std::string out;
  for_each_in_groups(out, heading, [&](const Option& option) {
    const OptionValue value = option.get(configuration.settings());
    // A line that is no setting, so that the file stays right and nobody takes the words for a value.
    const bool is_hidden = option.is_secret && value != option.default_value();
    out += (is_hidden ? "# " : "") + std::string(option.key) + " = " +
           (is_hidden ? show_option(option, value) : to_toml(option, value)) + "  # " +
           describe(configuration.origin_of(option)) + "\n";
  });
  return out.substr(1);
}

std::string write_effective_json(const Configuration& configuration) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const Option& option : option_table()) {
    const Origin& origin = configuration.origin_of(option);
    const OptionValue value = option.get(configuration.settings());
    const bool is_hidden = option.is_secret && value != option.default_value();
    document[std::string(option.key)] = {
        {"value", is_hidden ? nlohmann::json(show_option(option, value)) : value_to_json(value)},
        {"origin", std::string(name_of(origin.kind))},
        {"place", origin.place}};
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string write_markdown() {
  std::string out(kMarkdownIntroduction);
  for_each_in_groups(out, markdown_heading, [&](const Option& option) { out += markdown_row(option); });
  return out;
}

}  // namespace optimux::apps
