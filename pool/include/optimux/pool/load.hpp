/// \file
/// The raw figures that a set of workers reports about itself.
#pragma once

#include "optimux/pool/snapshot.hpp"

namespace optimux::pool {

/// Gauges and running totals of the job side of a pool. The supervisor makes rates and estimates of them.
struct Load {
  int idle = 0;                          ///< Workers parked.
  int in_flight = 0;                     ///< Jobs being run.
  std::size_t queue_depth = 0;           ///< Jobs waiting.
  std::size_t queue_capacity = 0;        ///< Places in the queue.
  Duration longest_idle{};               ///< How long the worker that is parked longest has been so.
  Duration in_flight_age{};              ///< Mean time that the jobs being run have been running for.
  int overrunning = 0;                   ///< Of them, those that have been running for longer than was asked about.
  TimePoint earliest_deadline = kNever;  ///< Of the jobs that wait.

  std::uint64_t run_jobs = 0;  ///< Jobs that ran to any end.
  Duration run_time{};         ///< Their time from start to end, added up.
  std::uint64_t cpu_jobs = 0;  ///< Jobs whose CPU time is known.
  Duration cpu_time{};         ///< Their CPU time, added up.

  Quantiles wait{};     ///< Between acceptance and start.
  Quantiles service{};  ///< Between start and end.
  Counters counters{};  ///< The job side of the counters.
  /// Nothing more is accepted.
  bool draining = false;
  /// Nothing more is started.
  bool stopped = false;
};

}  // namespace optimux::pool
