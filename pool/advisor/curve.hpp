/// \file
/// What a sweep over pool sizes has measured. Plain data; everything else in the library is a pure function of it.
#pragma once

#include "optimux/pool/config_error.hpp"

#include <optional>
#include <vector>

namespace optimux::pool::advisor {

/// One pool size.
struct CurvePoint {
  int workers = 1;            ///< At least 1.
  std::vector<double> rates;  ///< Jobs a second, one figure per round; all above 0.
  double cpu_busy = 0;        ///< Share of the usable CPUs' time that the process used; median over rounds; 0 to 1.
};

/// The sizes in ascending order.
using Curve = std::vector<CurvePoint>;

/// One job on one thread, without a pool.
struct JobProfile {
  double wall = 0;  ///< Seconds from start to end; above 0.
  double cpu = 0;   ///< Of these, seconds of CPU time.
};

/// The same work handed over in batches: what throughput would be with (almost) no hand-off.
struct BatchProbe {
  int workers = 1;            ///< A size that is in the curve.
  int batch = 1;              ///< Jobs per hand-over; 2 or more.
  std::vector<double> rates;  ///< Jobs a second, one figure per round.
};

/// A whole sweep.
struct Measurements {
  int cpus = 1;  ///< Usable CPUs.
  JobProfile job;
  Curve curve;
  std::optional<BatchProbe> batched;
};

/// The median rate of a point.
[[nodiscard]] double rate_of(const CurvePoint& point);

/// What is wrong with `measurements`; empty when they can be analysed: at least three sizes, ascending, and at least
/// three rounds of each, with rates above 0.
[[nodiscard]] std::optional<ConfigError> validate(const Measurements& measurements);

}  // namespace optimux::pool::advisor
