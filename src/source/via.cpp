#include "source/via.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "base/text.hpp"

namespace optimux::source {
namespace {

std::string draw_pseudonym() {
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", std::random_device{}());
  return std::string("optimux-") + digits.data();
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
  static const std::string pseudonym = draw_pseudonym();
  return pseudonym;
}

bool is_via_this_process(std::string_view via) {
  const auto elements = base::split(via, ',');
  return std::any_of(elements.begin(), elements.end(), [](std::string_view element) {
    return base::equals_ignoring_case(received_by(element), via_pseudonym());
  });
}

}  // namespace optimux::source
