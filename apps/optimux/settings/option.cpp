#include "apps/optimux/settings/option.hpp"

#include "base/quantity.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <chrono>

namespace optimux::apps {
namespace {

using base::ErrorCode;

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

tl::unexpected<base::Error> refuse(const Option& option, std::string_view value) {
  const std::string shown = option.is_secret ? "the value" : quoted(value);
  return base::fail(ErrorCode::kInvalidParameter, shown + " is not allowed: expected " + option.range());
}

std::string format_number(OptionType type, std::int64_t value) {
  if (value < 0) return std::to_string(value);
  switch (type) {
    case OptionType::kBytes: return base::format_bytes(static_cast<std::uint64_t>(value));
    case OptionType::kDuration: return base::format_duration(std::chrono::milliseconds(value));
    default: return std::to_string(value);
  }
}

std::string join(const std::vector<std::string>& texts, char separator) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty()) out += separator;
    out += text;
  }
  return out;
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> items;
  for (const std::string_view piece : base::split(text, separator)) {
    if (const auto item = base::trim(piece); !item.empty()) items.emplace_back(item);
  }
  return items;
}

std::vector<std::string> split_table(std::string_view text) {
  auto entries = split_list(text, separator_of(OptionType::kTable));
  std::ranges::sort(entries);
  return entries;
}

base::Result<OptionValue> parse_boolean(std::string_view text) {
  for (const std::string_view yes : {"true", "1", "yes", "on"}) {
    if (base::equals_ignoring_case(text, yes)) return OptionValue(true);
  }
  for (const std::string_view no : {"false", "0", "no", "off"}) {
    if (base::equals_ignoring_case(text, no)) return OptionValue(false);
  }
  return base::fail(ErrorCode::kInvalidParameter, quoted(text) + " is not a truth value");
}

// Words as the table has them: variables are often written in capitals.
std::string as_in_table(const Option& option, std::string_view text) {
  const auto choice = std::ranges::find_if(
      option.choices, [&](std::string_view word) { return base::equals_ignoring_case(word, text); });
  return std::string(choice == option.choices.end() ? text : *choice);
}

base::Result<OptionValue> parse_unchecked(const Option& option, std::string_view text) {
  const auto to_number = [](auto amount) { return OptionValue(static_cast<std::int64_t>(amount)); };
  switch (option.type) {
    case OptionType::kBytes: return base::parse_bytes(text).map(to_number);
    case OptionType::kDuration:
      return base::parse_duration(text).map([](std::chrono::milliseconds time) { return OptionValue(time.count()); });
    case OptionType::kBoolean: return parse_boolean(text);
    case OptionType::kList: return OptionValue(split_list(text, separator_of(option.type)));
    case OptionType::kTable: return OptionValue(split_table(text));
    case OptionType::kText: return OptionValue(as_in_table(option, text));
    case OptionType::kInteger: break;
  }
  const auto number = base::parse_number<std::int64_t>(base::trim(text));
  if (!number) return base::fail(ErrorCode::kInvalidParameter, quoted(text) + " is not a whole number");
  return OptionValue(*number);
}

bool is_allowed(const Option& option, std::string_view text) {
  if (!option.choices.empty()) return std::ranges::find(option.choices, text) != option.choices.end();
  return option.matches_form == nullptr || option.matches_form(text);
}

struct Checker {
  const Option& option;

  base::Status operator()(bool) const { return {}; }
  base::Status operator()(std::int64_t number) const {
    if (number >= option.min && number <= option.max && number % option.step == 0) return {};
    return base::fail(ErrorCode::kInvalidParameter,
                      format_number(option.type, number) + " is out of range: expected " + option.range());
  }
  base::Status operator()(const std::string& text) const {
    if (!is_allowed(option, text)) return refuse(option, text);
    return {};
  }
  base::Status operator()(const std::vector<std::string>& texts) const {
    for (const std::string& text : texts) {
      if (!is_allowed(option, text)) return refuse(option, text);
    }
    return {};
  }
};

struct Formatter {
  const Option& option;

  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return format_number(option.type, number); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<std::string>& texts) const { return join(texts, separator_of(option.type)); }
};

std::string join_choices(const std::vector<std::string_view>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) out += i + 1 == choices.size() ? " or " : ", ";
    out += choices[i];
  }
  return out;
}

std::string flag_of(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string variable_of(std::string_view key) {
  std::string name = "OPTIMUX_" + std::string(key);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

}  // namespace

std::string_view title_of(OptionGroup group) {
  switch (group) {
    case OptionGroup::kListening: return "Listening";
    case OptionGroup::kTls: return "TLS";
    case OptionGroup::kHttp: return "HTTP";
    case OptionGroup::kHttp2: return "HTTP/2";
    case OptionGroup::kProtection: return "Protection";
    case OptionGroup::kSources: return "Sources";
    case OptionGroup::kObjectStore: return "Object store";
    case OptionGroup::kImages: return "Images";
    case OptionGroup::kImagePool: return "Image pool";
    case OptionGroup::kCache: return "Caches and budgets";
    case OptionGroup::kDiskCache: return "Disk cache";
    case OptionGroup::kLog: return "Log";
  }
  return "";
}

std::string_view name_of(OptionType type) {
  switch (type) {
    case OptionType::kBytes: return "bytes";
    case OptionType::kDuration: return "duration";
    case OptionType::kInteger: return "integer";
    case OptionType::kBoolean: return "true or false";
    case OptionType::kText: return "text";
    case OptionType::kList: return "list";
    case OptionType::kTable: return "table";
  }
  return "";
}

char separator_of(OptionType type) {
  return type == OptionType::kTable ? ';' : ',';
}

std::string Option::flag() const {
  return flag_of(key);
}

std::string Option::former_flag() const {
  return former_key.empty() ? "" : flag_of(former_key);
}

std::string Option::variable() const {
  return variable_of(key);
}

std::string Option::former_variable() const {
  return former_key.empty() ? "" : variable_of(former_key);
}

OptionValue Option::default_value() const {
  return get(Settings{});
}

std::string Option::range() const {
  switch (type) {
    case OptionType::kBytes:
    case OptionType::kDuration:
    case OptionType::kInteger:
      return format_number(type, min) + " to " + format_number(type, max) +
             (step == 1 ? "" : " in steps of " + format_number(type, step));
    case OptionType::kBoolean: return "true or false";
    case OptionType::kText:
    case OptionType::kList:
    case OptionType::kTable: break;
  }
  return choices.empty() ? std::string(form) : join_choices(choices);
}

base::Result<OptionValue> parse_option(const Option& option, std::string_view text) {
  auto value = parse_unchecked(option, text);
  if (!value) return base::fail(ErrorCode::kInvalidParameter, value.error().detail + ": expected " + option.range());
  if (const auto checked = check_option(option, *value); !checked) return base::fail(checked.error());
  return value;
}

base::Status check_option(const Option& option, const OptionValue& value) {
  return std::visit(Checker{option}, value);
}

std::string format_option(const Option& option, const OptionValue& value) {
  return std::visit(Formatter{option}, value);
}

std::string show_option(const Option& option, const OptionValue& value) {
  std::string text = format_option(option, value);
  return option.is_secret && !text.empty() ? "(secret)" : text;
}

}  // namespace optimux::apps
