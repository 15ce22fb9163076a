#include "simulator/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
// The largest first. "s" is also how the others end, so it comes last where text is read.
constexpr std::array<Unit, 4> kUnits = {{{"min", 60}, {"ms", 1e-3}, {"us", 1e-6}, {"s", 1}}};
constexpr std::array<Unit, 3> kWritten = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};
constexpr double kLongestSeconds = 1e9;

}  // namespace

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<Duration> read_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = read_number(text.substr(0, text.size() - unit.name.size()));
    if (!number || *number < 0 || *number * unit.seconds > kLongestSeconds) return std::nullopt;
    return Duration(std::llround(*number * unit.seconds * 1e9));
  }
  return std::nullopt;
}

std::string duration_text(Duration duration) {
  const double seconds = to_seconds(duration);
  for (const Unit& unit : kWritten) {
    if (seconds >= unit.seconds) return number_text(seconds / unit.seconds, 3) + std::string(unit.name);
  }
  return seconds == 0 ? "0s" : number_text(seconds * 1e6, 3) + "us";
}

std::string number_text(double number, int decimals) {
  std::array<char, 400> buffer{};  // the largest double has 309 digits before the point
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  std::string text(buffer.data(), end.ptr);
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace optimux::pool::simulator
