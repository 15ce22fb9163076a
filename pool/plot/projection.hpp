/// \file
/// From values to pixels.
#pragma once

#include "plot/axis_ticks.hpp"

namespace optimux::pool::plot {

/// One axis on the page: the values from `ticks.low` to `ticks.high` lie between two pixels.
class Projection {
 public:
  /// `first` is the pixel of the lowest value, `last` that of the highest; `first` may be the larger one.
  Projection(Scale scale, Ticks ticks, double first, double last)
      : scale_(scale), ticks_(std::move(ticks)), first_(first), last_(last) {}

  /// The pixel of `value`; not finite where the value has no place on the axis. Values beyond the ends lie beyond the
  /// pixels.
  [[nodiscard]] double operator()(double value) const;
  /// The marks.
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_.ticks; }
  /// True if `value` lies on the axis.
  [[nodiscard]] bool covers(double value) const { return value >= ticks_.low && value <= ticks_.high; }

 private:
  Scale scale_;
  Ticks ticks_;
  double first_;
  double last_;
};

/// The smallest and the largest of the values shown to it.
class Extent {
 public:
  explicit Extent(Scale scale) : scale_(scale) {}
  /// Counts `value` if it is finite and has a place on the axis.
  void add(double value);
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  Scale scale_;
  double low_ = 1;
  double high_ = 0;  // below low_: nothing yet
};

/// How far the horizontal values of all panels reach.
[[nodiscard]] Extent x_extent(const Chart& chart);
/// How far the vertical values of a panel reach.
[[nodiscard]] Extent y_extent(const Panel& panel);

}  // namespace optimux::pool::plot
