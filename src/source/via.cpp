#include "source/via.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "base/text.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kPrefix = "optimux-";
constexpr std::size_t kDigits = 8;

std::string draw_pseudonym() {
  std::array<char, kDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", std::random_device{}());
  return std::string(kPrefix) + digits.data();
}

/// Of this process or of another one.
bool is_pseudonym(std::string_view name) {
  return name.size() == kPrefix.size() + kDigits &&
         base::equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix) &&
         name.find_first_not_of("0123456789abcdefABCDEF", kPrefix.size()) == std::string_view::npos;
}

/// Of `1.1 name (comment)`.
std::string_view received_by(std::string_view element) {
  element = base::trim(element);
  const std::size_t protocol = std::min(element.find_first_of(" \t"), element.size());
  element = base::trim(element.substr(protocol));
  return element.substr(0, element.find_first_of(" \t"));
}

}  // namespace

const std::string& via_pseudonym() {
  static const std::string kPseudonym = draw_pseudonym();
  return kPseudonym;
}

std::optional<std::string> hops_of(std::string_view via) {
  std::string hops;
  std::size_t count = 0;
  for (const std::string_view element : base::split(via, ',')) {
    const std::string_view name = received_by(element);
    if (!is_pseudonym(name)) continue;
    if (base::equals_ignoring_case(name, via_pseudonym()) || ++count > kMaxHops) return std::nullopt;
    hops.append(hops.empty() ? "" : ", ").append("1.1 ").append(name);
  }
  return hops;
}

std::string via_field(std::string_view hops) {
  return std::string(hops) + (hops.empty() ? "1.1 " : ", 1.1 ") + via_pseudonym();
}

}  // namespace optimux::source
