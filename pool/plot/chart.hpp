/// \file
/// What a chart shows: plain data. `svg.hpp` draws it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace optimux::pool::plot {

/// A value at a place. Points that are not finite leave a gap in a line.
struct Point {
  double x = 0;
  double y = 0;
};

/// How the points of a series are joined.
enum class Style : std::uint8_t {
  kLine,   ///< Straight lines from point to point.
  kSteps,  ///< A value holds until the next point: for counts over time.
  kDots,   ///< Not at all: a dot for each.
};

/// One curve.
struct Series {
  std::string name;           ///< Its entry in the legend; series of one name share entry and colour in all panels.
  std::vector<Point> points;  ///< By rising `x`, but for `kDots`.
  Style style = Style::kLine;
  bool dashed = false;
};

/// An interval at a place: a spread, or a confidence interval.
struct Interval {
  double x = 0;
  double low = 0;
  double high = 0;
};

/// A shaded area behind the curves.
struct Band {
  std::string name;  ///< As for a series: with the name of one, it has its colour and no entry of its own.
  std::vector<Interval> intervals;  ///< By rising `x`.
};

/// A dashed line across a panel, with a text at its end.
struct Marker {
  enum class Kind : std::uint8_t { kVertical, kHorizontal };
  Kind kind = Kind::kVertical;
  double at = 0;      ///< Its x, or its y for a horizontal one.
  std::string label;  ///< May be empty.
};

/// Whether equal distances are equal differences or equal ratios.
enum class Scale : std::uint8_t { kLinear, kLog };

/// What is known of an axis beforehand; the rest follows from the data.
struct Axis {
  std::string label;  ///< "queue", "wait" …
  std::string unit;   ///< "s", "jobs" …; may be empty.
  Scale scale = Scale::kLinear;
  std::optional<double> low;   ///< First value shown. By default 0 for a linear axis whose data do not go below it.
  std::optional<double> high;  ///< Last value shown.
};

/// One diagram of a chart. All panels share the horizontal axis.
struct Panel {
  Axis y;
  std::vector<Series> series;
  std::vector<Band> bands;
  std::vector<Marker> markers;
};

/// Panels one below the other, with one legend.
struct Chart {
  std::string title;     ///< May be empty.
  std::string subtitle;  ///< A second line, smaller; may be empty.
  Axis x;
  std::vector<Panel> panels;  ///< From top to bottom; at least one.
  int width = 900;            ///< Pixels; at least 300.
  int panel_height = 210;     ///< Pixels of each panel; at least 80.
};

}  // namespace optimux::pool::plot
