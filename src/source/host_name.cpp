#include "source/host_name.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace optimux::source {

std::string_view without_final_dot(std::string_view host) {
  if (!host.empty() && host.back() == '.') host.remove_suffix(1);
  return host;
}

bool is_host_name(std::string_view text) {
  const auto labels = base::split(text, '.');
  const auto valid = [](std::string_view label) {
    return !label.empty() &&
           label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string_view::npos;
  };
  return text.size() <= 253 && std::all_of(labels.begin(), labels.end(), valid) &&
         labels.back().find_first_not_of("0123456789") != std::string_view::npos && labels.back().substr(0, 2) != "0x";
}

}  // namespace optimux::source
