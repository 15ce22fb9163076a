#include "http/headers.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace optimux::http {
namespace {

/// What most messages need: those of browsers have 10 to 15 fields and 400 to 800 bytes, answers 8 to 15 and 500.
constexpr std::size_t kUsualFields = 16;
constexpr std::size_t kUsualBytes = 512;

constexpr std::array<bool, 256> kIsTokenByte = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = table[c + ('a' - 'A')] = true;
  return table;
}();

}  // namespace

Headers::Headers(std::initializer_list<HeaderField> fields) {
  for (const HeaderField& field : fields) add(field.name, field.value);
}

void Headers::add(std::string_view name, std::string_view value) {
  if (places_.empty()) places_.reserve(kUsualFields);
  const std::size_t begin = text_.size();
  const std::size_t needed = begin + name.size() + value.size();
  if (needed > text_.capacity()) {
    // Into new memory and not in place: name and value may be those of a field that stands here.
    std::string grown;
    grown.reserve(std::max(2 * needed, kUsualBytes));
    grown.append(text_).append(name).append(value);
    text_.swap(grown);
  } else {
    text_.append(name).append(value);
  }
  places_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(name.size()),
                     static_cast<std::uint32_t>(value.size())});
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

/// The text stays where it is: it is short, and goes with the message.
void Headers::remove(std::string_view name) {
  std::erase_if(places_, [this, name](const Place& place) {
    return base::equals_ignoring_case(std::string_view(text_).substr(place.begin, place.name_size), name);
  });
}

HeaderField Headers::at(std::size_t index) const {
  const Place& place = places_[index];
  const std::string_view text = text_;
  return {text.substr(place.begin, place.name_size), text.substr(place.begin + place.name_size, place.value_size)};
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const HeaderField& field : *this) {
    if (base::equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::string Headers::joined(std::string_view name) const {
  std::string list;
  for (const HeaderField& field : *this) {
    if (!base::equals_ignoring_case(field.name, name)) continue;
    if (!list.empty()) list += ", ";
    list += field.value;
  }
  return list;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  const std::string list = joined(name);
  for (const std::string_view item : base::split(list, ',')) {
    if (base::equals_ignoring_case(base::trim(item), token)) return true;
  }
  return false;
}

bool is_token(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return kIsTokenByte[static_cast<unsigned char>(c)]; });
}

/// Looks at all of it whatever comes first, since nearly every value is one: so the compiler takes many bytes at once.
bool is_field_value(std::string_view value) {
  unsigned forbidden = 0;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    forbidden |= static_cast<unsigned>(byte < 0x20) & static_cast<unsigned>(byte != '\t');
    forbidden |= static_cast<unsigned>(byte == 0x7f);
  }
  return forbidden == 0;
}

}  // namespace optimux::http
