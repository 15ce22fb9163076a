#include "apps/optimux/pool/seconds.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace optimux::apps {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 5> kUnits = {{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}}};
constexpr double kLongest = 3600;

}  // namespace

base::Result<double> parse_seconds(std::string_view text) {
  const std::size_t unit_begin = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = base::parse_number<double>(text.substr(0, unit_begin));
  for (const Unit& unit : kUnits) {
    if (!number || text.substr(unit_begin) != unit.name) continue;
    const double seconds = *number * unit.seconds;
    if (seconds > 0 && seconds <= kLongest) return seconds;
  }
  return base::fail(base::ErrorCode::kInvalidParameter,
                    "'" + std::string(text) + "' is not a duration from 1ns to 60m (as in 640us, 50ms or 2s)");
}

}  // namespace optimux::apps
