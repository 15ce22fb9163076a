#include "apps/optimux/h2/load_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace optimux::apps {
namespace {

using Group = LoadFigure::Group;

constexpr std::array kAllPhases = {base::Phase::kHead, base::Phase::kFirst, base::Phase::kGood, base::Phase::kFull};

std::size_t index_of(base::Phase phase) {
  return static_cast<std::size_t>(phase);
}

// The smallest value that `share` of them are not above. `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<double> sorted_times(const Page& page, const PageLoad& load, base::Phase phase) {
  std::vector<double> times;
  for (std::size_t i = 0; i < page.images.size(); ++i)
    if (!page.images[i].is_late) times.push_back(load.images[i][index_of(phase)]);
  std::ranges::sort(times);
  return times;
}

void add_phase(std::vector<LoadFigure>& figures, const std::vector<double>& times, const std::string& phase) {
  figures.push_back({Group::kPage, phase + "_median_s", phase + " p50", quantile(times, 0.5)});
  figures.push_back({Group::kPage, phase + "_p95_s", "p95", quantile(times, 0.95)});
  figures.push_back({Group::kPage, phase + "_max_s", "max", times.back()});
}

double speed_index(const Page& page, const PageLoad& load) {
  double sum = 0;
  double seen = 0;
  for (const base::Phase phase : kAllPhases) {
    const auto times = sorted_times(page, load, phase);
    for (const double time : times) sum += (seen_with(phase) - seen) * time / static_cast<double>(times.size());
    seen = seen_with(phase);
  }
  return sum;
}

void add_late(std::vector<LoadFigure>& figures, const PageImage& image, const PhaseTimes& times, double asked) {
  for (const base::Phase phase : kAllPhases)
    figures.push_back({Group::kLate, std::string("late_") + phase_name(phase) + "_s", phase_name(phase),
                       times[index_of(phase)] - asked});
  figures.push_back({Group::kLate, "late_bytes", "bytes", static_cast<double>(image.size())});
}

}  // namespace

double seen_with(base::Phase phase) {
  constexpr std::array kSeen = {0.0, 0.5, 0.9, 1.0};
  return kSeen[index_of(phase)];
}

const char* phase_name(base::Phase phase) {
  constexpr std::array kNames = {"head", "first", "good", "full"};
  return kNames[index_of(phase)];
}

std::vector<LoadFigure> figures_of(const Page& page, const Link& link, const PageLoad& load) {
  std::vector<LoadFigure> figures;
  for (const base::Phase phase : kAllPhases) add_phase(figures, sorted_times(page, load, phase), phase_name(phase));
  figures.push_back({Group::kPage, "speed_index_s", "speed index", speed_index(page, load)});
  figures.push_back({Group::kPage, "end_s", "end", load.end});
  for (std::size_t i = 0; i < page.images.size(); ++i) {
    const PageImage& image = page.images[i];
    if (image.is_late) add_late(figures, image, load.images[i], image.requested - link.round_trip / 2);
  }
  figures.push_back({Group::kLine, "frames", "frames", static_cast<double>(load.frames)});
  figures.push_back({Group::kLine, "bytes", "bytes", static_cast<double>(load.bytes)});
  return figures;
}

std::vector<LoadFigure> medians_of(const std::vector<std::vector<LoadFigure>>& loads) {
  std::vector<LoadFigure> medians = loads.front();
  for (std::size_t i = 0; i < medians.size(); ++i) {
    std::vector<double> values;
    values.reserve(loads.size());
    for (const auto& figures : loads) values.push_back(figures[i].value);
    std::ranges::sort(values);
    medians[i].value = quantile(values, 0.5);
  }
  return medians;
}

}  // namespace optimux::apps
