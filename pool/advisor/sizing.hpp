/// \file
/// How many workers a rate of jobs needs, by Little's law: the jobs in a system are the rate at which they arrive times
/// the time that each spends in it (J. D. C. Little, "A proof for the queuing formula L = λW", 1961).
#pragma once

#include "optimux/pool/config_error.hpp"

namespace optimux::pool::advisor {

/// What the workers are to sustain.
struct Demand {
  double rate = 0;      ///< Jobs a second; above 0, at most 1e9.
  double latency = 0;   ///< Seconds that one job holds a worker; above 0, at most 1e6. The p95 is safer than the mean.
  double headroom = 1;  ///< Factor for variation; 1 to 100.
  int limit = 0;        ///< Jobs that the dependency takes at once; 0 when there is no limit; at most 1,000,000.
};

/// The answer to a demand.
struct Sizing {
  int workers = 1;            ///< To have: `wanted`, or the dependency's limit where that is smaller. At least 1.
  double busy = 0;            ///< Mean number of jobs being run at the demanded rate: rate x latency.
  int wanted = 1;             ///< rate x latency x headroom, rounded up.
  bool is_limited = false;    ///< The dependency takes fewer than `wanted`.
  double reachable_rate = 0;  ///< Jobs a second that `workers` sustain at this latency, without headroom.
  bool is_reachable = true;   ///< `reachable_rate` is at least the demanded rate.
};

/// Sizes a pool. Pure. Fails with the field of `demand` that is out of its range, or with "rate" when the product asks
/// for more than 1,000,000 workers.
[[nodiscard]] Made<Sizing> size_for(const Demand& demand);

}  // namespace optimux::pool::advisor
