#include "apps/optimux/pool/simulation_curves.hpp"

#include "simulator/intervals.hpp"
#include "simulator/number_text.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>
#include <utility>

namespace optimux::apps {
namespace {

using pool::to_seconds;
using pool::plot::Chart;
using pool::plot::Panel;
using pool::plot::Point;
using pool::plot::Series;
using pool::plot::Style;
using pool::simulator::Interval;
using pool::simulator::number_text;

constexpr int kTimeDecimals = 6;

Series series_of(const Curve& curve, Style style) {
  return {curve.name, {}, style, curve.dashed};
}

Series workers_of(const Curve& curve) {
  Series series = series_of(curve, Style::kSteps);
  for (const auto& change : curve.recording.workers) {
    series.points.push_back({to_seconds(change.at), static_cast<double>(change.total)});
  }
  if (!series.points.empty()) series.points.push_back({to_seconds(curve.recording.end), series.points.back().y});
  return series;
}

Series queue_of(const Curve& curve) {
  Series series = series_of(curve, Style::kSteps);
  for (const auto& sample : curve.recording.samples) {
    series.points.push_back({to_seconds(sample.at), static_cast<double>(sample.queue)});
  }
  return series;
}

// An interval in which nothing was started has no wait: a gap.
Series waits_of(const Curve& curve) {
  Series series = series_of(curve, Style::kLine);
  const std::vector<Interval> intervals = pool::simulator::intervals(curve.recording);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const double wait =
        intervals[i].started > 0 ? to_seconds(intervals[i].longest_wait) : std::numeric_limits<double>::quiet_NaN();
    series.points.push_back({to_seconds(curve.recording.samples[i].at), wait});
  }
  return series;
}

Panel panel_of(const std::vector<Curve>& curves, std::string label, std::string unit,
               const std::function<Series(const Curve&)>& series_of_curve) {
  Panel panel;
  panel.y.label = std::move(label);
  panel.y.unit = std::move(unit);
  for (const Curve& curve : curves) panel.series.push_back(series_of_curve(curve));
  return panel;
}

// A name as a CSV field: quoted, as it may hold commas.
std::string field(const std::string& name) {
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

}  // namespace

Chart chart_of(const std::vector<Curve>& curves, std::string title, std::string subtitle) {
  Chart chart;
  chart.title = std::move(title);
  chart.subtitle = std::move(subtitle);
  chart.x.label = "time";
  chart.x.unit = "s";
  double end = 0;
  for (const Curve& curve : curves) end = std::max(end, to_seconds(curve.recording.end));
  chart.x.high = end;
  chart.panels = {panel_of(curves, "workers", "", workers_of), panel_of(curves, "queue", "jobs", queue_of),
                  panel_of(curves, "longest wait", "s", waits_of)};
  return chart;
}

void write_csv(std::ostream& out, const std::vector<Curve>& curves) {
  out << "run,time_s,workers,live,in_flight,queue,arrivals,refused,started,longest_wait_s\n";
  for (const Curve& curve : curves) {
    const std::string name = field(curve.name);
    const std::vector<Interval> intervals = pool::simulator::intervals(curve.recording);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto& sample = curve.recording.samples[i];
      const Interval& interval = intervals[i];
      out << name << ',' << number_text(to_seconds(sample.at), kTimeDecimals) << ',' << sample.total << ','
          << sample.live << ',' << sample.in_flight << ',' << sample.queue << ',' << interval.arrivals << ','
          << interval.refused << ',' << interval.started << ','
          << number_text(to_seconds(interval.longest_wait), kTimeDecimals) << '\n';
    }
  }
}

}  // namespace optimux::apps
