/// \file
/// What the tests of the simulator share.
#pragma once

#include "simulator/trace.hpp"

#include <vector>

namespace optimux::pool::simulator::testing {

/// A trace of the given jobs.
inline Trace trace_of(std::vector<TraceJob> jobs, Duration length = {}) {
  Trace trace;
  trace.name = "test";
  trace.length = jobs.empty() ? length : std::max(length, jobs.back().at);
  trace.jobs = std::move(jobs);
  measure_height(trace);
  return trace;
}

}  // namespace optimux::pool::simulator::testing
