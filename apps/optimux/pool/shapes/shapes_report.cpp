#include "apps/optimux/pool/shapes/shapes_report.hpp"

#include "advisor/advice.hpp"
#include "advisor/statistics.hpp"
#include "apps/optimux/pool/text_table.hpp"
#include "base/text.hpp"
#include "plot/svg.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace optimux::apps {
namespace {

namespace advisor = pool::advisor;
namespace plot = pool::plot;
using nlohmann::ordered_json;

constexpr double kQuantiles[] = {0.5, 0.9, 0.99};

std::string spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return "+-" + advisor::format_share((*high - *low) / 2 / advisor::median(values));
}

std::vector<std::string> line(std::size_t number, const ShapeResult& result) {
  std::vector<std::string> cells = {std::to_string(number) + " " + result.kind.title,
                                    advisor::format_rate(advisor::median(result.rates)), spread(result.rates)};
  for (const double share : kQuantiles) {
    cells.push_back(advisor::format_seconds(advisor::quantile(result.latencies, share)));
  }
  cells.push_back(advisor::format_seconds(advisor::quantile(result.first_bytes, 0.5)));
  cells.push_back(advisor::format_share(advisor::median(result.blocked)));
  return cells;
}

ordered_json quantiles(const std::vector<double>& values) {
  return {{"p50", advisor::quantile(values, 0.5)},
          {"p90", advisor::quantile(values, 0.9)},
          {"p99", advisor::quantile(values, 0.99)}};
}

ordered_json to_object(const ShapeResult& result) {
  return {{"shape", result.kind.name},
          {"title", result.kind.title},
          {"rate", advisor::median(result.rates)},
          {"rates", result.rates},
          {"latency_seconds", quantiles(result.latencies)},
          {"first_bytes_seconds", quantiles(result.first_bytes)},
          {"blocked_share", advisor::median(result.blocked)}};
}

template <class Value>
plot::Series by_shape(std::string name, const std::vector<ShapeResult>& results, Value value) {
  plot::Series series{.name = std::move(name), .points = {}, .style = plot::Style::kDots};
  double number = 0;
  for (const ShapeResult& result : results) series.points.push_back({++number, value(result)});
  return series;
}

plot::Panel rates_panel(const ShapesReport& report) {
  plot::Panel panel{.y = {.label = "throughput", .unit = "requests/s"}};
  panel.series = {by_shape("throughput", report.results, [](const auto& r) { return advisor::median(r.rates); })};
  return panel;
}

plot::Panel latency_panel(const ShapesReport& report) {
  plot::Panel panel{.y = {.label = "latency", .unit = "s"}};
  const auto latency = [](double share) {
    return [share](const ShapeResult& result) { return advisor::quantile(result.latencies, share); };
  };
  panel.series = {by_shape("p50", report.results, latency(0.5)), by_shape("p90", report.results, latency(0.9)),
                  by_shape("p99", report.results, latency(0.99))};
  return panel;
}

plot::Panel blocked_panel(const ShapesReport& report) {
  plot::Panel panel{.y = {.label = "blocked", .unit = "share", .low = 0.0, .high = 1.0}};
  panel.series = {by_shape("blocked", report.results, [](const auto& r) { return advisor::median(r.blocked); })};
  return panel;
}

}  // namespace

std::string to_text(const ShapesReport& report) {
  TextTable table({"shape", "requests/s", "spread", "p50", "p90", "p99", "first bytes", "blocked"},
                  TextTable::FirstColumn::kName);
  std::size_t number = 0;
  for (const ShapeResult& result : report.results) table.add(line(++number, result));
  return base::printable(report.work) + "; " + std::to_string(report.plan.clients) + " clients, " +
         std::to_string(report.cpus) + " CPUs, " + std::to_string(report.plan.rounds) + " x " +
         std::to_string(report.plan.requests) + " requests\n\n" + table.text() +
         "\nblocked: share of the time of workers and dispatchers that they waited for a job or for each other\n";
}

std::string to_json(const ShapesReport& report) {
  ordered_json shapes = ordered_json::array();
  for (const ShapeResult& result : report.results) shapes.push_back(to_object(result));
  const ordered_json document = {{"work", report.work},
                                 {"cpus", report.cpus},
                                 {"clients", report.plan.clients},
                                 {"requests", report.plan.requests},
                                 {"rounds", report.plan.rounds},
                                 {"shapes", std::move(shapes)}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string to_svg(const ShapesReport& report) {
  std::string names;
  std::size_t number = 0;
  for (const ShapeResult& result : report.results) {
    names += (number == 0 ? "" : " · ") + std::to_string(number + 1) + " " + result.kind.name;
    ++number;
  }
  plot::Chart chart{.title = "Shapes: " + report.work, .subtitle = names};
  chart.x = {.label = "shape",
             .unit = "",
             .scale = plot::Scale::kLinear,
             .low = 0.0,
             .high = 1.0 + static_cast<double>(number)};
  chart.panels = {rates_panel(report), latency_panel(report), blocked_panel(report)};
  chart.panel_height = 150;
  return plot::to_svg(chart);
}

}  // namespace optimux::apps
