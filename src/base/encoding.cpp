#include "base/encoding.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace optimux::base {
namespace {

std::optional<int> hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string percent_encode_url(std::string_view url) {
  return percent_encode(url, ":/?#[]@!$&'()*+,;=%");
}

std::optional<std::string> hex_decode(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = hex_value(digits[i]);
    const auto low = hex_value(digits[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high * 16 + *low);
  }
  return bytes;
}

std::string base64url_encode(std::string_view bytes) {
  std::string out = base64_encode(bytes);
  out.resize(out.find_last_not_of('=') + 1);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

}  // namespace optimux::base
