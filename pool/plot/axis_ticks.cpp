#include "plot/axis_ticks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace optimux::pool::plot {
namespace {

// From here on a number is written with an exponent, so that labels stay short.
constexpr double kLongNumber = 1e9;
// Rounding errors that must not add a mark, or take one away, as a share of the step.
constexpr double kSlack = 1e-6;
constexpr std::array<double, 3> kMultiples = {1, 2, 5};
constexpr int kMostDecimals = 12;

// The smallest of 1, 2 and 5 times a power of ten that needs no more than `wanted` steps.
double round_step(double range, int wanted) {
  const double raw = range / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double multiple : kMultiples) {
    if (multiple * power >= raw * (1 - kSlack)) return multiple * power;
  }
  return 10 * power;
}

Ticks linear_ticks(const Axis& axis, double low, double high, int wanted) {
  if (low > high) low = 0, high = 1;
  if (!axis.low && low > 0) low = 0;
  low = axis.low.value_or(low);
  high = axis.high.value_or(high);
  if (high <= low) high = low + 1;
  const double step = round_step(high - low, wanted);
  Ticks result;
  result.low = axis.low ? low : std::floor(low / step + kSlack) * step;
  result.high = axis.high ? high : std::ceil(high / step - kSlack) * step;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - kSlack)), 0, kMostDecimals);
  for (auto i = std::ceil(result.low / step - kSlack); i * step <= result.high + kSlack * step; ++i) {
    result.ticks.push_back({i * step, to_text(i * step, decimals)});
  }
  return result;
}

std::string power_text(double value) {
  return to_text(value, value < 1 ? static_cast<int>(std::ceil(-std::log10(value) - kSlack)) : 0);
}

// The largest mark of 1, 2 and 5 at or below `value`, or the smallest at or above it.
double log_mark(double value, bool below) {
  const double power = std::pow(10, std::floor(std::log10(value) + kSlack));
  double mark = below ? power : 10 * power;
  for (const double multiple : kMultiples) {
    const double candidate = multiple * power;
    if (below && candidate <= value * (1 + kSlack)) mark = candidate;
    if (!below && candidate >= value * (1 - kSlack)) return candidate;
  }
  return mark;
}

Ticks log_ticks(const Axis& axis, double low, double high, int wanted) {
  if (low > high) low = 1, high = 10;
  Ticks result;
  result.low = axis.low.value_or(log_mark(low, true));
  result.high = axis.high.value_or(log_mark(high, false));
  if (result.high <= result.low) result.high = 10 * result.low;
  const double decades = std::log10(result.high / result.low);
  const bool powers_suffice = decades >= wanted;
  const auto stride = powers_suffice ? std::max(1., std::ceil(decades / wanted)) : 1.;
  for (auto power = std::floor(std::log10(result.low) + kSlack); power <= std::log10(result.high) + kSlack;
       power += stride) {
    for (const double multiple : kMultiples) {
      const double at = multiple * std::pow(10, power);
      if (at < result.low * (1 - kSlack) || at > result.high * (1 + kSlack)) continue;
      if (multiple == 1 || !powers_suffice) result.ticks.push_back({at, power_text(at)});
    }
  }
  return result;
}

}  // namespace

Ticks make_ticks(const Axis& axis, double low, double high, int wanted) {
  return axis.scale == Scale::kLog ? log_ticks(axis, low, high, wanted) : linear_ticks(axis, low, high, wanted);
}

std::string to_text(double number, int digits) {
  std::array<char, 64> buffer{};
  const bool is_long = std::abs(number) >= kLongNumber;
  const auto format = is_long ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, is_long ? 2 : digits);
  std::string text(buffer.data(), end.ptr);
  if (is_long) return text;
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace optimux::pool::plot
