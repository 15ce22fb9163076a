#include "base/quantity.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace optimux::base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024.0;
constexpr std::array<Unit, 10> kByteUnits{{{"", 1},
                                           {"b", 1},
                                           {"kib", kKibi},
                                           {"mib", kKibi* kKibi},
                                           {"gib", kKibi* kKibi* kKibi},
                                           {"tib", kKibi* kKibi* kKibi* kKibi},
                                           {"kb", 1e3},
                                           {"mb", 1e6},
                                           {"gb", 1e9},
                                           {"tb", 1e12}}};
constexpr std::array<Unit, 4> kTimeUnits{{{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};

// Numbers up to 2^53 are exact in a double; nothing that is configured comes near.
constexpr double kMaxExact = 9007199254740992.0;

template <std::size_t N>
std::optional<double> parse_with_unit(std::string_view text, const std::array<Unit, N>& units) {
  text = trim(text);
  const auto unit_begin = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = parse_number<double>(text.substr(0, unit_begin));
  const std::string unit_name = to_lower(trim(text.substr(unit_begin)));
  if (!number || *number < 0) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    const double value = std::round(*number * unit.factor);
    return value <= kMaxExact ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto value = parse_with_unit(text, kByteUnits);
  if (!value) {
    return fail(ErrorCode::kInvalidParameter,
                "'" + std::string(text) + "' is not a size (as in 64MiB, 512KiB or 4096)");
  }
  return static_cast<std::uint64_t>(*value);
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (trim(text) == "0") return std::chrono::milliseconds(0);
  const auto value = parse_with_unit(text, kTimeUnits);
  if (!value) {
    return fail(ErrorCode::kInvalidParameter, "'" + std::string(text) + "' is not a duration (as in 250ms, 5s or 2m)");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(*value));
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kPowers{
      {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
  for (const auto& [name, shift] : kPowers) {
    const std::uint64_t unit = std::uint64_t{1} << shift;
    if (bytes >= unit && bytes % unit == 0) return std::to_string(bytes / unit) + std::string(name);
  }
  return std::to_string(bytes) + "B";
}

std::string format_duration(std::chrono::milliseconds duration) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kUnits{
      {{"h", 3600000}, {"m", 60000}, {"s", 1000}}};
  for (const auto& [name, factor] : kUnits) {
    if (duration.count() >= factor && duration.count() % factor == 0) {
      return std::to_string(duration.count() / factor) + std::string(name);
    }
  }
  return std::to_string(duration.count()) + "ms";
}

}  // namespace optimux::base
