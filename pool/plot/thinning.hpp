/// \file
/// Fewer points for the same picture.
#pragma once

#include "plot/chart.hpp"

#include <vector>

namespace optimux::pool::plot {

/// Of the points of a line, in pixels and by rising x, those that matter: in each column of pixels the first, the
/// lowest, the highest and the last. The line through them covers the same pixels (the M4 aggregation of Jugel et al.,
/// VLDB 2014). Points that are not finite stay.
[[nodiscard]] std::vector<Point> thin(const std::vector<Point>& pixels);

}  // namespace optimux::pool::plot
