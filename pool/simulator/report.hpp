/// \file
/// The figures by which a run is judged.
#pragma once

#include "simulator/recording.hpp"
#include "simulator/trace.hpp"

#include <optional>

namespace optimux::pool::simulator {

/// Three quantiles and the largest of some times (nearest rank); 0 without any.
struct Spread {
  Duration p50{};
  Duration p95{};
  Duration p99{};
  Duration max{};
};

/// One run in figures.
struct Report {
  std::size_t done = 0;     ///< Jobs that were run to their end.
  std::size_t refused = 0;  ///< Jobs for which the queue had no place.
  /// How often the number of live workers changed its direction. The start of the floor is no change.
  int reversals = 0;
  /// From the rise of the load until there were as many live workers as its height needs (`capacity`); 0 if there were
  /// already, empty if there never were.
  std::optional<Duration> time_to_capacity;
  Spread wait;                        ///< Between acceptance and start.
  Spread delay;                       ///< Time that a job lost: in the queue, and to others on the CPUs.
  double worker_seconds_per_job = 0;  ///< Time that all workers existed, over jobs done; 0 without jobs.
  double mean_workers = 0;            ///< Over the run.
  int most_workers = 0;               ///< Leaving ones included.
};

/// Workers that the height of `trace` keeps busy, so far as `most` allows: what the gate and the cap leave.
[[nodiscard]] int capacity(const Trace& trace, int most);

/// Judges a run of `trace`. `capacity` is at least 1.
[[nodiscard]] Report report_on(const Recording& recording, const Trace& trace, int capacity);

}  // namespace optimux::pool::simulator
