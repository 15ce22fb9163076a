#include "http/priority_field.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

namespace optimux::http {
namespace {

constexpr std::int64_t kLeastUrgent = 7;
/// RFC 8941, section 3.3.1.
constexpr std::size_t kMostDigits = 15;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_alpha(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

/// Anything but an integer or a boolean: its value is of no use here.
struct OtherItem {};
using Item = std::variant<OtherItem, std::int64_t, bool>;

/// A reader of structured fields (RFC 8941, section 4.2). Each function takes what it names from the front; false, or
/// nothing, where that is not what stands there.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  void skip_blanks(std::string_view blanks) { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), size())); }

  std::optional<std::string_view> key() {
    if (!next_is([](char c) { return is_lower(c) || c == '*'; })) return std::nullopt;
    return take_while([](char c) { return is_lower(c) || is_digit(c) || is_one_of(c, "_-.*"); });
  }

  /// What stands behind a key, parameters included.
  std::optional<Item> member_value() {
    std::optional<Item> value = Item(true);
    if (take('=')) value = take('(') ? inner_list() : bare_item();
    return value && parameters() ? value : std::nullopt;
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

 private:
  std::size_t size() const { return rest_.size(); }

  template <class Predicate>
  bool next_is(Predicate predicate) const {
    return !rest_.empty() && predicate(rest_.front());
  }

  template <class Predicate>
  std::string_view take_while(Predicate predicate) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), predicate);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool parameters() {
    while (take(';')) {
      skip_blanks(" ");
      if (!key()) return false;
      if (take('=') && !bare_item()) return false;
    }
    return true;
  }

  std::optional<Item> inner_list() {
    while (true) {
      skip_blanks(" ");
      if (take(')')) return OtherItem{};
      if (!bare_item() || !parameters()) return std::nullopt;
      if (!next_is([](char c) { return c == ' ' || c == ')'; })) return std::nullopt;
    }
  }

  std::optional<Item> bare_item() {
    if (next_is([](char c) { return is_digit(c) || c == '-'; })) return number();
    if (next_is([](char c) { return is_alpha(c) || c == '*'; })) return token();
    if (take('?')) return boolean();
    if (take('"')) return string();
    if (take(':')) return byte_sequence();
    return std::nullopt;
  }

  std::optional<Item> number() {
    const bool is_negative = take('-');
    const std::string_view digits = take_while(is_digit);
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    if (take('.')) {
      const std::string_view fraction = take_while(is_digit);
      const bool is_decimal = digits.size() <= 12 && !fraction.empty() && fraction.size() <= 3;
      return is_decimal ? std::optional<Item>(OtherItem{}) : std::nullopt;
    }
    std::int64_t value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    return Item(is_negative ? -value : value);
  }

  std::optional<Item> token() {
    take_while([](char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-.^_`|~:/"); });
    return OtherItem{};
  }

  std::optional<Item> boolean() {
    if (take('1')) return Item(true);
    if (take('0')) return Item(false);
    return std::nullopt;
  }

  std::optional<Item> string() {
    while (true) {
      take_while([](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
      if (take('"')) return OtherItem{};
      if (!take('\\') || (!take('"') && !take('\\'))) return std::nullopt;
    }
  }

  std::optional<Item> byte_sequence() {
    take_while([](char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, "+/="); });
    return take(':') ? std::optional<Item>(OtherItem{}) : std::nullopt;
  }

  std::string_view rest_;
};

/// The last member of a key counts, whatever its value is.
void apply(PriorityParameters& parameters, std::string_view key, const Item& value) {
  if (key == "u") {
    const auto* const urgency = std::get_if<std::int64_t>(&value);
    const bool is_valid = urgency != nullptr && *urgency >= 0 && *urgency <= kLeastUrgent;
    parameters.urgency = is_valid ? std::optional<int>(static_cast<int>(*urgency)) : std::nullopt;
  } else if (key == "i") {
    const auto* const incremental = std::get_if<bool>(&value);
    parameters.incremental = incremental != nullptr ? std::optional<bool>(*incremental) : std::nullopt;
  }
}

}  // namespace

PriorityParameters parse_priority_field(std::string_view value) {
  PriorityParameters parameters;
  FieldReader reader(value);
  reader.skip_blanks(" ");
  while (!reader.at_end()) {
    const auto key = reader.key();
    const auto item = key ? reader.member_value() : std::nullopt;
    if (!item) return {};
    apply(parameters, *key, *item);
    reader.skip_blanks(" \t");
    if (reader.at_end()) break;
    if (!reader.take(',')) return {};
    reader.skip_blanks(" \t");
    if (reader.at_end()) return {};  // A comma that nothing follows.
  }
  return parameters;
}

}  // namespace optimux::http
