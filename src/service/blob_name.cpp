#include "service/blob_name.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/digest.hpp"

namespace optimux::service {
namespace {

constexpr std::size_t kWordDigits = 16;
constexpr int kHexadecimal = 16;

bool is_lower_hex(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
}

std::string group_digits(std::string_view group) {
  return base::fingerprint(group).substr(0, kWordDigits);
}

}  // namespace

BlobName::BlobName(std::string_view digits) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const char* const begin = digits.data() + i * kWordDigits;
    std::from_chars(begin, begin + kWordDigits, words_[i], kHexadecimal);
  }
}

BlobName::BlobName(std::string_view key, std::string_view group)
    : BlobName(group_digits(group) + base::fingerprint(key)) {}

std::optional<BlobName> BlobName::parse(std::string_view text) {
  if (text.size() != kLength || !std::all_of(text.begin(), text.end(), is_lower_hex)) return std::nullopt;
  return BlobName(text);
}

std::string BlobName::text() const {
  std::array<char, kLength + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx%016llx", static_cast<unsigned long long>(words_[0]),
                static_cast<unsigned long long>(words_[1]), static_cast<unsigned long long>(words_[2]));
  return {digits.data(), kLength};
}

std::string BlobName::path() const {
  const std::string name = text();
  return name.substr(0, 1) + "/" + name.substr(1, 2) + "/" + name;
}

bool BlobName::is_of_group(std::string_view group) const {
  return text().starts_with(group_digits(group));
}

}  // namespace optimux::service
