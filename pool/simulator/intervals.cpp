#include "simulator/intervals.hpp"

#include <algorithm>

namespace optimux::pool::simulator {
namespace {

// The sample that ends the interval in which `at` lies; the last one for what comes after it.
std::size_t interval_of(const std::vector<Sample>& samples, Duration at) {
  const auto found = std::lower_bound(samples.begin(), samples.end(), at,
                                      [](const Sample& sample, Duration time) { return sample.at < time; });
  return std::min(static_cast<std::size_t>(found - samples.begin()), samples.size() - 1);
}

}  // namespace

std::vector<Interval> intervals(const Recording& recording) {
  std::vector<Interval> result(recording.samples.size());
  if (result.empty()) return result;
  for (const JobRecord& job : recording.jobs) {
    Interval& arrival = result[interval_of(recording.samples, job.arrived)];
    ++arrival.arrivals;
    if (job.is_refused) {
      ++arrival.refused;
      continue;
    }
    Interval& start = result[interval_of(recording.samples, job.started)];
    ++start.started;
    start.longest_wait = std::max(start.longest_wait, job.started - job.arrived);
  }
  return result;
}

}  // namespace optimux::pool::simulator
