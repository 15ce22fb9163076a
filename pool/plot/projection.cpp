#include "plot/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace optimux::pool::plot {

double Projection::operator()(double value) const {
  double share = (value - ticks_.low) / (ticks_.high - ticks_.low);
  if (scale_ == Scale::kLog) {
    if (value <= 0) return std::numeric_limits<double>::quiet_NaN();
    share = std::log(value / ticks_.low) / std::log(ticks_.high / ticks_.low);
  }
  return first_ + share * (last_ - first_);
}

void Extent::add(double value) {
  if (!std::isfinite(value) || (scale_ == Scale::kLog && value <= 0)) return;
  const bool is_first = low_ > high_;
  low_ = is_first ? value : std::min(low_, value);
  high_ = is_first ? value : std::max(high_, value);
}

Extent x_extent(const Chart& chart) {
  Extent extent(chart.x.scale);
  for (const Panel& panel : chart.panels) {
    for (const Series& series : panel.series) {
      for (const Point& point : series.points) extent.add(point.x);
    }
    for (const Band& band : panel.bands) {
      for (const Interval& interval : band.intervals) extent.add(interval.x);
    }
  }
  return extent;
}

Extent y_extent(const Panel& panel) {
  Extent extent(panel.y.scale);
  for (const Series& series : panel.series) {
    for (const Point& point : series.points) extent.add(point.y);
  }
  for (const Band& band : panel.bands) {
    for (const Interval& interval : band.intervals) {
      extent.add(interval.low);
      extent.add(interval.high);
    }
  }
  for (const Marker& marker : panel.markers) {
    if (marker.kind == Marker::Kind::kHorizontal) extent.add(marker.at);
  }
  return extent;
}

}  // namespace optimux::pool::plot
