// The picture of a comparison; its declaration is with the other forms of the report.
#include "apps/optimux/h2/load_report.hpp"

#include "http/scheduling_policy_name.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace optimux::apps {
namespace {

using pool::plot::Chart;
using pool::plot::Panel;
using pool::plot::Series;
using pool::plot::Style;

constexpr std::array kAllPhases = {base::Phase::kHead, base::Phase::kFirst, base::Phase::kGood, base::Phase::kFull};

// Dots are small: a waterfall of hundreds of pictures needs more rows of pixels.
constexpr int kRowHeight = 6;
constexpr int kLeastHeight = 180;

Panel waterfall(const PolicyOutcome& outcome) {
  Panel panel;
  panel.y.label = "image, " + std::string(http::name_of(outcome.policy));
  panel.y.high = static_cast<double>(outcome.first.images.size() + 1);
  for (const base::Phase phase : kAllPhases) {
    Series series{phase_name(phase), {}, Style::kDots};
    for (std::size_t i = 0; i < outcome.first.images.size(); ++i)
      series.points.push_back({outcome.first.images[i][static_cast<std::size_t>(phase)], static_cast<double>(i + 1)});
    panel.series.push_back(std::move(series));
  }
  return panel;
}

Series seen_over_time(const Page& page, const PolicyOutcome& outcome) {
  const auto pictures = std::ranges::count(page.images, false, &PageImage::is_late);
  std::vector<std::pair<double, double>> gains;  // when, and by how much more is seen
  for (std::size_t i = 0; i < page.images.size(); ++i) {
    if (page.images[i].is_late) continue;
    double seen = 0;
    for (const base::Phase phase : kAllPhases) {
      const double gain = seen_with(phase) - std::exchange(seen, seen_with(phase));
      gains.emplace_back(outcome.first.images[i][static_cast<std::size_t>(phase)], gain);
    }
  }
  std::ranges::sort(gains);
  Series series{std::string(http::name_of(outcome.policy)), {{0, 0}}, Style::kSteps};
  series.dashed = outcome.policy == http::SchedulingPolicy::kFifo;
  double seen = 0;
  for (const auto& [at, gain] : gains) {
    seen += gain / static_cast<double>(pictures);
    series.points.push_back({at, std::min(seen, 1.0)});
  }
  return series;
}

}  // namespace

Chart chart_of(const LoadExperiment& experiment, const std::vector<PolicyOutcome>& outcomes) {
  const Page page = experiment.first_page();
  Chart chart;
  chart.title = "A page of pictures over one connection, by policy";
  chart.subtitle = experiment.summary() + ", seed " + std::to_string(experiment.first_seed);
  chart.x.label = "time";
  chart.x.unit = "s";
  chart.panel_height = std::max(kLeastHeight, static_cast<int>(page.images.size()) * kRowHeight);
  Panel seen;
  seen.y.label = "seen";
  seen.y.high = 1;
  for (const PolicyOutcome& outcome : outcomes) {
    chart.panels.push_back(waterfall(outcome));
    seen.series.push_back(seen_over_time(page, outcome));
  }
  chart.panels.push_back(std::move(seen));
  return chart;
}

}  // namespace optimux::apps
