#include "http/content_disposition.hpp"

#include <cstddef>

#include "base/text.hpp"

namespace optimux::http {
namespace {

constexpr std::size_t kLongestName = 200;

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0u) == 0x80u;
}

/// Length of the UTF-8 character at the front of `text` (RFC 3629); 0 when it is none. Surrogates and overlong forms
/// are told by their first two bytes.
std::size_t character_length(std::string_view text) {
  const auto at = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(static_cast<unsigned char>(at(i)))) return 0;
  }
  const unsigned second = at(1);
  const bool is_misfit = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                         (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_misfit ? 0 : length;
}

/// `file_name` as UTF-8 without what could harm a header or a path.
std::string clean(std::string_view file_name) {
  std::string name;
  while (!file_name.empty()) {
    const std::size_t length = character_length(file_name);
    const std::string_view character = file_name.substr(0, length == 0 ? 1 : length);
    if (name.size() + character.size() > kLongestName) break;
    const auto byte = static_cast<unsigned char>(character[0]);
    if (length == 0 || byte == '/' || byte == '\\') {
      name += '_';
    } else if (byte >= 0x20 && byte != 0x7f) {
      name += character;
    }
    file_name.remove_prefix(character.size());
  }
  return name;
}

std::string ascii_fallback(std::string_view name) {
  std::string fallback;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_continuation(byte)) continue;  // One `_` a character, not one a byte.
    fallback += byte >= 0x80 || c == '"' || c == '%' ? '_' : c;
  }
  return fallback;
}

}  // namespace

std::string attachment(std::string_view file_name) {
  const std::string name = clean(file_name);
  if (name.empty()) return "attachment";
  const std::string fallback = ascii_fallback(name);
  std::string value = "attachment; filename=\"" + fallback + '"';
  // `attr-char` of RFC 8187 beyond the unreserved characters.
  if (fallback != name) value += "; filename*=UTF-8''" + base::percent_encode(name, "!#$&+^`|");
  return value;
}

}  // namespace optimux::http
