#include "plot/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace optimux::pool::plot {
namespace {

bool same_column(const Point& a, const Point& b) {
  return std::isfinite(a.y) && std::isfinite(b.y) && std::floor(a.x) == std::floor(b.x);
}

// The points from `begin` to `end` share a column.
void keep_extremes(const std::vector<Point>& pixels, std::size_t begin, std::size_t end, std::vector<Point>& kept) {
  const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = pixels.begin() + static_cast<std::ptrdiff_t>(end);
  const auto [lowest, highest] =
      std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
  for (auto point = first; point != last; ++point) {
    if (point == first || point == lowest || point == highest || point + 1 == last) kept.push_back(*point);
  }
}

}  // namespace

std::vector<Point> thin(const std::vector<Point>& pixels) {
  std::vector<Point> kept;
  for (std::size_t begin = 0; begin < pixels.size();) {
    std::size_t end = begin + 1;
    while (end < pixels.size() && same_column(pixels[begin], pixels[end])) ++end;
    keep_extremes(pixels, begin, end, kept);
    begin = end;
  }
  return kept;
}

}  // namespace optimux::pool::plot
