/// \file
/// Rates and estimates from the raw totals of a pool.
#pragma once

#include "optimux/pool/load.hpp"

namespace optimux::pool {

/// Smooths what `Load` counts. The filters are exact for any spacing of the readings (weight 1 - e^(-dt/tau)), so early
/// looks do not distort them. The offered load is the larger of a fast and a slow (5 s) average: it rises with the
/// first and falls with the second, and, unlike one filter with two time constants, does not mistake the scatter of
/// single arrivals for load. The fast one spans 1 s, but, up to 5 s, no fewer than about 16 arrivals. Not thread-safe.
class LoadMeter {
 public:
  /// Takes a reading. `cpus` is the number of usable CPUs at that time.
  void read(const Load& load, int cpus, TimePoint now);
  /// Fills the estimates of `snapshot`: rates, service time, CPU time, offered load.
  void fill(Snapshot& snapshot) const;
  /// The time beyond which a running job overruns: 3 x the time that jobs take at present (of exponentially distributed
  /// times one in twenty is longer). 0, so that every job does, while that is unknown.
  [[nodiscard]] Duration overrun_after() const;

 private:
  void read_arrivals(const Load& load, double seconds);
  void read_runs(const Load& load, int cpus);
  [[nodiscard]] double service_seconds() const;
  [[nodiscard]] bool wants_more_than(int cpus, int in_flight) const;

  bool has_reading_ = false;
  TimePoint at_{};
  Load last_;
  double rate_now_ = 0;      // jobs/s over 1 s
  double rate_fast_ = 0;     // jobs/s over 1 s to 5 s
  double rate_slow_ = 0;     // jobs/s over 5 s
  double run_seconds_ = 0;   // of recent jobs, as they were
  double cpu_seconds_ = 0;   // of recent jobs
  double calm_seconds_ = 0;  // of recent jobs while the machine was not oversubscribed
  double calm_cpu_ = 0;      // cpu_seconds_ at that time
  bool oversubscribed_ = false;
};

}  // namespace optimux::pool
