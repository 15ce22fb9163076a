/// \file
/// Where an axis begins and ends, and where it is marked.
#pragma once

#include "plot/chart.hpp"

#include <string>
#include <utility>
#include <vector>

namespace optimux::pool::plot {

/// A mark on an axis.
struct Tick {
  double at = 0;
  std::string text;
};

/// An axis that is ready to be drawn.
struct Ticks {
  double low = 0;   ///< Value at its beginning.
  double high = 1;  ///< Value at its end; above `low`.
  std::vector<Tick> ticks;
};

/// Marks for values from `low` to `high`, about `wanted` of them (at least 2), at round numbers: multiples of 1, 2 or 5
/// times a power of ten on a linear axis; 1, 2 and 5 times the powers of ten on a logarithmic one, or those powers
/// alone where they suffice. An axis whose ends are not given reaches to the marks beyond the data. Where there are no
/// data (`low > high`), the axis shows 0 to 1, or 1 to 10.
[[nodiscard]] Ticks make_ticks(const Axis& axis, double low, double high, int wanted);

/// A number as short as it can be written with up to `digits` decimals and a point, whatever the locale: "0.25", "10",
/// "1e+09" from a billion on.
[[nodiscard]] std::string to_text(double number, int digits);

}  // namespace optimux::pool::plot
