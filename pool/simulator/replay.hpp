/// \file
/// The same trace on a real pool.
#pragma once

#include "simulator/simulation.hpp"

#include <functional>

namespace optimux::pool::simulator {

/// Runs `trace` on a `DynamicScaler` of threads with the settings of `scenario`, in real time: each job arrives when
/// the trace says, whatever the pool is doing, sleeps for its waiting time and then burns its CPU time. The machine's
/// number of CPUs is taken from `scenario`, so it should be that of this machine. `progress` (may be empty) is told
/// from time to time how much of the trace has passed. Blocks until every job has ended. Fails with the name of the
/// wrong setting.
[[nodiscard]] Made<Recording> replay(const Trace& trace, const Scenario& scenario,
                                     const std::function<void(Duration passed)>& progress);

}  // namespace optimux::pool::simulator
