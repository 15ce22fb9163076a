#include "apps/optimux/pool/sweep/sweep_report.hpp"

#include "advisor/job_class.hpp"
#include "advisor/statistics.hpp"
#include "apps/optimux/pool/text_table.hpp"
#include "base/text.hpp"
#include "plot/svg.hpp"

#include <algorithm>

namespace optimux::apps {
namespace {

namespace advisor = pool::advisor;
namespace plot = pool::plot;

double first_rate(const advisor::Measurements& measurements) {
  return rate_of(measurements.curve.front()) / measurements.curve.front().workers;
}

double roof(const advisor::Measurements& measurements, const advisor::CurvePoint& point) {
  return advisor::roof_of(measurements.job, point.workers, measurements.cpus);
}

std::string spread(const std::vector<double>& rates) {
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  return "+-" + advisor::format_share((*high - *low) / 2 / advisor::median(rates));
}

std::string batch_line(const advisor::BatchProbe& probe) {
  return "in batches of " + std::to_string(probe.batch) + ", " + std::to_string(probe.workers) +
         " workers: " + advisor::format_rate(advisor::median(probe.rates)) + " jobs/s (" + spread(probe.rates) + ")\n";
}

std::string failures_line(const SweepResult& result) {
  if (result.failed_jobs == 0) return "";
  return std::to_string(result.failed_jobs) +
         " jobs failed; the first: " + (result.first_error ? base::printable(result.first_error->detail) : "unknown") +
         '\n';
}

plot::Series medians(const advisor::Curve& curve) {
  plot::Series series{.name = "measured"};
  for (const auto& point : curve) series.points.push_back({1.0 * point.workers, rate_of(point)});
  return series;
}

plot::Band rounds(const advisor::Curve& curve) {
  plot::Band band{.name = "measured", .intervals = {}};
  for (const auto& point : curve) {
    const auto [low, high] = std::minmax_element(point.rates.begin(), point.rates.end());
    band.intervals.push_back({1.0 * point.workers, *low, *high});
  }
  return band;
}

plot::Series roofs(const advisor::Measurements& measurements) {
  plot::Series series{.name = "workers and CPUs could do", .points = {}, .dashed = true};
  for (const auto& point : measurements.curve)
    series.points.push_back({1.0 * point.workers, roof(measurements, point)});
  return series;
}

plot::Series fitted(const advisor::Measurements& measurements, const advisor::Scalability& law) {
  plot::Series series{.name = "scalability law, fitted", .points = {}, .dashed = true};
  for (const auto& point : measurements.curve) {
    series.points.push_back({1.0 * point.workers, rate_at(law, point.workers)});
  }
  return series;
}

}  // namespace

base::Result<SweepReport> make_report(std::string job, std::string cpu_source, SweepResult result) {
  if (const auto error = validate(result.measurements)) {
    return base::fail(base::ErrorCode::kInvalidParameter, error->field + " " + error->message);
  }
  SweepReport report{std::move(job), std::move(cpu_source), std::move(result), {}, {}};
  report.analysis = analyse(report.result.measurements);
  report.advice = advise(report.analysis, report.result.measurements);
  return report;
}

std::string to_text(const SweepReport& report) {
  const advisor::Measurements& measured = report.result.measurements;
  TextTable table({"workers", "jobs/s", "a job", "spread", "speedup", "CPUs busy", "of the possible"},
                  TextTable::FirstColumn::kNumber);
  for (const auto& point : measured.curve) {
    const double rate = rate_of(point);
    table.add({std::to_string(point.workers), advisor::format_rate(rate), advisor::format_seconds(1 / rate),
               spread(point.rates), advisor::format_rate(rate / first_rate(measured)),
               advisor::format_share(point.cpu_busy), advisor::format_share(rate / roof(measured, point))});
  }
  std::string text =
      base::printable(report.job + " on " + std::to_string(measured.cpus) + " CPUs (" + report.cpu_source + ")") +
      "\n\n";
  text += table.text();
  if (measured.batched) text += batch_line(*measured.batched);
  text += failures_line(report.result) + '\n' + report.advice.headline + ".\n\n";
  for (const std::string& reason : report.advice.reasons) text += reason + '\n';
  return report.advice.settings.empty() ? text : text + '\n' + report.advice.settings;
}

std::string to_svg(const SweepReport& report) {
  const advisor::Measurements& measured = report.result.measurements;
  plot::Panel panel{.y = {.label = "throughput", .unit = "jobs/s", .scale = plot::Scale::kLog}};
  panel.series = {medians(measured.curve), roofs(measured), fitted(measured, report.analysis.law)};
  panel.bands = {rounds(measured.curve)};
  panel.markers = {{plot::Marker::Kind::kVertical, 1.0 * measured.cpus, std::to_string(measured.cpus) + " CPUs"}};
  plot::Chart chart{.title = report.job, .subtitle = report.advice.headline};
  chart.x = {.label = "workers", .unit = "", .scale = plot::Scale::kLog};
  chart.panels = {std::move(panel)};
  chart.panel_height = 320;
  return plot::to_svg(chart);
}

}  // namespace optimux::apps
