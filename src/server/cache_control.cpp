#include "server/cache_control.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace optimux::server {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [name](std::string_view one) { return base::equals_ignoring_case(name, one); });
}

/// The directive with its time cut; nothing for one that has to go. A time that cannot be read counts as the longest.
std::optional<std::string> limited(std::string_view directive, std::int64_t most) {
  const std::string_view name = base::trim(directive.substr(0, directive.find('=')));
  if (is_one_of(name, {"immutable", "stale-while-revalidate", "stale-if-error"})) return std::nullopt;
  if (!is_one_of(name, {"max-age", "s-maxage"})) return std::string(directive);
  const auto time =
      base::parse_number<std::int64_t>(directive.substr(std::min(directive.find('=') + 1, directive.size())));
  return std::string(name) + "=" + std::to_string(std::clamp<std::int64_t>(time.value_or(most), 0, most));
}

}  // namespace

std::string limit_cache_time(std::string_view cache_control, std::chrono::seconds most) {
  std::string result;
  bool has_time = false;
  const auto add = [&result](std::string_view directive) { (result += result.empty() ? "" : ", ") += directive; };
  for (const std::string_view piece : base::split(cache_control, ',')) {
    const std::string_view directive = base::trim(piece);
    if (directive.empty()) continue;
    if (const auto kept = limited(directive, most.count())) add(*kept);
    const std::string_view name = base::trim(directive.substr(0, directive.find('=')));
    has_time = has_time || is_one_of(name, {"max-age"}) || is_one_of(directive, {"no-store", "no-cache"});
  }
  if (!has_time) add("max-age=" + std::to_string(most.count()));
  return result;
}

}  // namespace optimux::server
