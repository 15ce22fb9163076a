#include "simulator/report.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

// Sorted times.
Duration quantile(const std::vector<Duration>& times, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size())));
  return times[std::max<std::size_t>(rank, 1) - 1];
}

Spread spread(std::vector<Duration> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  return {quantile(times, .5), quantile(times, .95), quantile(times, .99), times.back()};
}

int count_reversals(const std::vector<WorkerChange>& changes) {
  int reversals = 0;
  int direction = 0;
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const int difference = changes[i].live - changes[i - 1].live;
    if (difference == 0) continue;
    if (direction * difference < 0) ++reversals;
    direction = difference > 0 ? 1 : -1;
  }
  return reversals;
}

std::optional<Duration> time_to_capacity(const std::vector<WorkerChange>& changes, Duration rises_at, int capacity) {
  int before = 0;
  for (const WorkerChange& change : changes) {
    if (change.at > rises_at && before >= capacity) return Duration::zero();
    if (change.at > rises_at && change.live >= capacity) return change.at - rises_at;
    before = change.live;
  }
  if (before >= capacity) return Duration::zero();
  return std::nullopt;
}

// Worker-nanoseconds of the run.
double worker_time(const Recording& recording) {
  double sum = 0;
  for (std::size_t i = 0; i < recording.workers.size(); ++i) {
    const Duration until = i + 1 < recording.workers.size() ? recording.workers[i + 1].at : recording.end;
    sum += to_seconds(until - recording.workers[i].at) * recording.workers[i].total;
  }
  return sum;
}

void judge_jobs(const Recording& recording, Report& report) {
  std::vector<Duration> waits;
  std::vector<Duration> delays;
  for (const JobRecord& job : recording.jobs) {
    if (job.is_refused) {
      ++report.refused;
      continue;
    }
    ++report.done;
    waits.push_back(job.started - job.arrived);
    delays.push_back(std::max(job.ended - job.arrived - job.alone, Duration::zero()));
  }
  report.wait = spread(std::move(waits));
  report.delay = spread(std::move(delays));
}

}  // namespace

int capacity(const Trace& trace, int most) {
  constexpr double kSlack = 1e-9;  // 6.4 workers computed as 6.400000000000001 / 0.1 … are still so many
  return std::clamp(static_cast<int>(std::ceil(trace.busy_workers - kSlack)), 1, std::max(most, 1));
}

Report report_on(const Recording& recording, const Trace& trace, int capacity) {
  Report report;
  judge_jobs(recording, report);
  report.reversals = count_reversals(recording.workers);
  report.time_to_capacity = time_to_capacity(recording.workers, trace.rises_at, capacity);
  for (const WorkerChange& change : recording.workers)
    report.most_workers = std::max(report.most_workers, change.total);
  const double time = worker_time(recording);
  if (report.done > 0) report.worker_seconds_per_job = time / static_cast<double>(report.done);
  if (recording.end > Duration::zero()) report.mean_workers = time / to_seconds(recording.end);
  return report;
}

}  // namespace optimux::pool::simulator
