#include "advisor/advice.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace optimux::pool::advisor {
namespace {

std::string print(int decimals, double value) {
  std::array<char, 64> text{};
  if (std::abs(value) > 1e15) {
    std::snprintf(text.data(), text.size(), "%.2e", value);
  } else {
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  }
  return text.data();
}

std::string three_digits(double value) {
  if (value >= 99.95) return print(0, value);
  return value >= 9.995 ? print(1, value) : print(2, value);
}

}  // namespace

std::string format_seconds(double seconds) {
  struct Unit {
    double length;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits = {{{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}}};
  for (const Unit& unit : kUnits) {
    if (seconds >= 0.9995 * unit.length) return three_digits(seconds / unit.length) + unit.name;
  }
  return "0 s";
}

std::string format_rate(double rate) {
  if (!(rate > 0) || rate > 1e15) return "0";
  const double step = std::pow(10.0, std::floor(std::log10(rate)) - 2);
  const double rounded = std::round(rate / step) * step;
  if (rounded < 100) return three_digits(rounded);
  std::string digits = print(0, rounded);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string format_share(double share) {
  const double percent = share * 100;
  return (percent >= 9.95 || percent == 0 ? print(0, percent) : print(1, percent)) + " %";
}

}  // namespace optimux::pool::advisor
