/// \file
/// What a pool looks like at one moment: the input of policies and gates, and the answer of `DynamicScaler::snapshot`.
#pragma once

#include "optimux/pool/clock.hpp"

#include <cstddef>
#include <cstdint>

namespace optimux::pool {

/// Counts since the pool was made; none ever goes down.
struct Counters {
  std::uint64_t accepted = 0;           ///< Jobs taken over.
  std::uint64_t refused_full = 0;       ///< Submissions answered `kFull`.
  std::uint64_t refused_stopped = 0;    ///< Submissions answered `kStopped`.
  std::uint64_t refused_deadline = 0;   ///< Submissions answered `kDeadline`.
  std::uint64_t started = 0;            ///< Jobs handed to a worker.
  std::uint64_t done = 0;               ///< Jobs ended as `kDone`.
  std::uint64_t failed = 0;             ///< Jobs ended as `kFailed`.
  std::uint64_t cancelled = 0;          ///< Jobs ended as `kCancelled`.
  std::uint64_t expired = 0;            ///< Jobs ended as `kExpired`.
  std::uint64_t found_nobody_idle = 0;  ///< Jobs accepted while no worker was parked.
  std::uint64_t wakes_for_jobs = 0;     ///< Parked workers woken because a job waited.
  std::uint64_t lost_races = 0;         ///< Of those, found that a busy worker had been quicker, and parked again.
  std::uint64_t workers_started = 0;    ///< Workers that were created.
  std::uint64_t workers_retired = 0;    ///< Workers that left because they were asked to.
  std::uint64_t workers_crashed = 0;    ///< Workers whose body returned or threw without having been asked to leave.
  std::uint64_t start_failures = 0;  ///< Workers that could not be created, or left before their first wait for a job.
  std::uint64_t nudges = 0;          ///< Workers nudged after an unanswered retirement.

  /// Accepted jobs that have ended, in whatever way.
  [[nodiscard]] std::uint64_t ended() const { return done + failed + cancelled + expired; }
};

/// Three quantiles of recent durations (the last 30 to 60 s).
struct Quantiles {
  /// Half are no longer.
  Duration p50{};
  /// 95 of 100 are no longer.
  Duration p95{};
  /// 99 of 100 are no longer.
  Duration p99{};
};

/// The pool at one moment. Plain data; policies are pure functions of it.
struct Snapshot {
  TimePoint at{};                  ///< When it was taken.
  int min_workers = 0;             ///< The floor.
  int max_workers = 0;             ///< The cap on `total`.
  int live = 0;                    ///< Slots not retiring.
  int total = 0;                   ///< All slots: starting, live and retiring.
  int retiring = 0;                ///< Slots asked to leave that have not left yet.
  int most_live = 0;               ///< Workers that may be live, by cap, policy, retiring ones, back-off and gate.
  int starting = 0;                ///< Slots whose worker has not looked for its first job yet.
  int idle = 0;                    ///< Workers parked.
  int in_flight = 0;               ///< Jobs being run.
  std::size_t queue_depth = 0;     ///< Jobs waiting.
  std::size_t queue_capacity = 0;  ///< Places in the queue.
  Duration longest_idle{};         ///< How long the worker that is parked longest has been so; 0 when none is.
  int cpus = 1;                    ///< Usable CPUs (`count_cpus`).

  double arrival_rate = 0;      ///< Jobs accepted a second, smoothed over 1 s.
  double offered_load = 0;      ///< Workers kept busy by the arrivals: rate x service time (`LoadMeter`).
  Duration service_time{};      ///< Time a job takes on a machine that is not oversubscribed; 0 while unknown.
  Duration run_time{};          ///< Time that jobs take at present; 0 while unknown.
  Duration cpu_per_job{};       ///< CPU time of a job; 0 while unknown.
  Duration in_flight_age{};     ///< Mean time that the jobs being run have been running for.
  int overrunning = 0;          ///< Jobs being run for longer than 3 x `run_time`: their workers may not be back soon.
  bool oversubscribed = false;  ///< The jobs being run want more CPU time than there is.

  int recent_peak = 0;              ///< Largest number of workers the policy wanted within its `peak_window`.
  int latest_peak = 0;              ///< The same within its `short_peak_window`.
  TimePoint last_scaled_at{};       ///< Last growth or shrink by policy; the epoch when there was none.
  std::uint64_t unmet_submits = 0;  ///< Jobs accepted with nobody idle since the last decision.

  Quantiles wait{};     ///< Between acceptance and start.
  Quantiles service{};  ///< Between start and end.
  /// What has happened since the pool was made.
  Counters counters{};
  bool draining = false;  ///< `drain` or `stop` has been called: nothing is accepted any more.
  bool stopped = false;   ///< `stop` has been called: nothing is started any more.
};

/// How long a job submitted now may expect to wait before it is started. Nothing when a worker is idle, or while there
/// are fewer jobs, waiting and being run, than there may be workers: one is started for it. Else the jobs that must end
/// before its turn (those that wait, and one of those being run) times `run_time`, over the workers that do not
/// overrun. Where all do, their mean age stands for the time a job takes, since nothing else is known. 0 while no job
/// has been seen to run. Assumes that the policy makes use of `most_live`. Pure.
[[nodiscard]] Duration expected_wait(const Snapshot& snapshot);

}  // namespace optimux::pool
