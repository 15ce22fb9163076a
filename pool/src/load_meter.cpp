#include "optimux/pool/load_meter.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool {
namespace {

constexpr double kFastSeconds = 1;
constexpr double kSlowSeconds = 5;
// The mean of n random arrivals is off by about 1 / sqrt(n): with 16, by a quarter, which is about as much as one
// worker of four. Fewer say more of chance than of the load.
constexpr double kArrivalsToTrust = 16;
// A mean over jobs forgets at the pace of jobs, not of time: about the last sixteen count.
constexpr double kJobsRemembered = 16;
// Jobs that want this share of all CPUs leave no room for one more that would run at full speed.
constexpr double kBusyShare = 0.9;
// One job an hour. What is left of a rate below it is the tail of an average that has no end of its own.
constexpr double kLeastRate = 1.0 / 3600;
constexpr double kOverrun = 3;

void approach(double& average, double sample, double dt, double tau) {
  average += (1 - std::exp(-dt / tau)) * (sample - average);
}

void approach_by_jobs(double& average, double sample, double jobs) {
  if (average <= 0) {
    average = sample;
  } else {
    approach(average, sample, jobs, kJobsRemembered);
  }
}

}  // namespace

void LoadMeter::read(const Load& load, int cpus, TimePoint now) {
  const double seconds = has_reading_ ? to_seconds(now - at_) : 0;
  if (seconds > 0) read_arrivals(load, seconds);
  read_runs(load, cpus);
  if (has_reading_ && seconds <= 0) return;  // arrivals wait for time to pass
  has_reading_ = true;
  at_ = now;
  last_.counters = load.counters;
}

void LoadMeter::read_arrivals(const Load& load, double seconds) {
  const auto arrived = static_cast<double>(load.counters.accepted - last_.counters.accepted);
  const double patience = std::clamp(kArrivalsToTrust / std::max(rate_slow_, kLeastRate), kFastSeconds, kSlowSeconds);
  approach(rate_now_, arrived / seconds, seconds, kFastSeconds);
  approach(rate_fast_, arrived / seconds, seconds, patience);
  approach(rate_slow_, arrived / seconds, seconds, kSlowSeconds);
  for (double* rate : {&rate_now_, &rate_fast_, &rate_slow_}) {
    if (*rate < kLeastRate) *rate = 0;
  }
}

void LoadMeter::read_runs(const Load& load, int cpus) {
  const auto cpu_jobs = static_cast<double>(load.cpu_jobs - last_.cpu_jobs);
  if (cpu_jobs > 0) approach_by_jobs(cpu_seconds_, to_seconds(load.cpu_time - last_.cpu_time) / cpu_jobs, cpu_jobs);
  const auto jobs = static_cast<double>(load.run_jobs - last_.run_jobs);
  if (jobs > 0) {
    const double sample = to_seconds(load.run_time - last_.run_time) / jobs;
    approach_by_jobs(run_seconds_, sample, jobs);
    oversubscribed_ = wants_more_than(cpus, load.in_flight);
    if (!oversubscribed_) {
      approach_by_jobs(calm_seconds_, sample, jobs);
      calm_cpu_ = cpu_seconds_;
    }
  }
  last_.run_jobs = load.run_jobs;
  last_.run_time = load.run_time;
  last_.cpu_jobs = load.cpu_jobs;
  last_.cpu_time = load.cpu_time;
}

// Jobs that only wait (for disks, for other services) may outnumber the CPUs without slowing each other down: what
// counts is the CPU time that they want. Where it exceeds the machine, the time they take grows with their own number.
bool LoadMeter::wants_more_than(int cpus, int in_flight) const {
  if (in_flight <= cpus || run_seconds_ <= 0) return false;
  return in_flight * cpu_seconds_ / run_seconds_ >= kBusyShare * cpus;
}

// Never seen calm: the CPU time is what a job would take without company. Seen calm: that time, scaled if the jobs
// have become heavier or lighter since.
double LoadMeter::service_seconds() const {
  if (!oversubscribed_) return calm_seconds_ > 0 ? calm_seconds_ : run_seconds_;
  if (calm_seconds_ <= 0) return cpu_seconds_ > 0 ? cpu_seconds_ : run_seconds_;
  const double scale = calm_cpu_ > 0 ? cpu_seconds_ / calm_cpu_ : 1;
  return std::min(calm_seconds_ * scale, run_seconds_);
}

Duration LoadMeter::overrun_after() const {
  return from_seconds(run_seconds_ * kOverrun);
}

void LoadMeter::fill(Snapshot& snapshot) const {
  // At least 1 ns, so that "unknown" (0) stays apart from "too short to measure".
  const Duration service = from_seconds(service_seconds());
  snapshot.service_time = run_seconds_ > 0 ? std::max(service, Duration(1)) : Duration::zero();
  snapshot.run_time = from_seconds(run_seconds_);
  snapshot.cpu_per_job = from_seconds(cpu_seconds_);
  snapshot.arrival_rate = rate_now_;
  snapshot.offered_load = std::max(rate_fast_, rate_slow_) * service_seconds();
  snapshot.oversubscribed = oversubscribed_;
}

}  // namespace optimux::pool
