/// \file
/// Arrivals and waits over time, for curves.
#pragma once

#include "simulator/recording.hpp"

#include <vector>

namespace optimux::pool::simulator {

/// What happened within one sampling interval.
struct Interval {
  std::size_t arrivals = 0;  ///< Refused ones included.
  std::size_t refused = 0;
  std::size_t started = 0;
  Duration longest_wait{};  ///< Of the jobs that were started within it; 0 if there were none.
};

/// For each sample of a recording, the jobs of the time since the sample before it.
[[nodiscard]] std::vector<Interval> intervals(const Recording& recording);

}  // namespace optimux::pool::simulator
