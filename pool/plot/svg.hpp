/// \file
/// Draws charts as SVG files that need nothing else: no fonts, scripts or style sheets from anywhere.
#pragma once

#include "plot/chart.hpp"

#include <string>

namespace optimux::pool::plot {

/// The chart as the text of an SVG 1.1 file. The same chart gives the same bytes, whatever the locale. Texts are
/// escaped. Curves of more points than can be told apart are thinned without changing what is seen. Panels without a
/// finite value are drawn empty. On a logarithmic axis, values of 0 and less are left out.
[[nodiscard]] std::string to_svg(const Chart& chart);

}  // namespace optimux::pool::plot
