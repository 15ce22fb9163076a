/// \file
/// What happened in one run, simulated or real.
#pragma once

#include "optimux/pool/clock.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace optimux::pool::simulator {

/// What became of a job. Times are counted from the beginning of the run.
struct JobRecord {
  Duration arrived{};
  Duration alone{};  ///< Waiting and CPU time that it needs with a worker and a CPU of its own.
  bool is_refused = false;
  Duration started{};  ///< When a worker took it; only if it was not refused.
  Duration ended{};    ///< As `started`.
};

/// The number of workers from a time on.
struct WorkerChange {
  Duration at{};
  int live = 0;   ///< Workers not asked to leave.
  int total = 0;  ///< Starting and leaving ones included.
};

/// The pool at one moment.
struct Sample {
  Duration at{};
  int total = 0;
  int live = 0;
  int in_flight = 0;
  std::size_t queue = 0;
};

/// One run.
struct Recording {
  std::vector<JobRecord> jobs;        ///< In the order of arrival.
  std::vector<WorkerChange> workers;  ///< Every change, by time; the first is the floor at time 0.
  std::vector<Sample> samples;        ///< At even intervals.
  Duration end{};                     ///< When the last job had ended, or the trace if later.
};

}  // namespace optimux::pool::simulator
