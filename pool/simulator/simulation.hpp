/// \file
/// A whole pool in virtual time.
#pragma once

#include "optimux/pool/config.hpp"
#include "simulator/recording.hpp"
#include "simulator/simulated_workforce.hpp"
#include "simulator/trace.hpp"

#include <memory>
#include <optional>

namespace optimux::pool::simulator {

/// A pool to be tried.
struct Scenario {
  std::shared_ptr<const Policy> policy;  ///< Not null.
  Gate gate;
  Limits limits{1, 32, 1024};
  Machine machine;
  Duration sample_interval = std::chrono::milliseconds(500);  ///< Above 0.
};

/// The settings of the pool of `scenario`, as far as it decides them.
[[nodiscard]] Config config_of(const Scenario& scenario);

/// What is wrong with a scenario; empty when nothing is.
[[nodiscard]] std::optional<ConfigError> check_scenario(const Scenario& scenario);

/// Runs `trace` through a pool whose policy, gate, controller, registry and load meter are the real ones, while
/// workers, jobs, CPUs and clock are simulated, until every job has ended. The control loop is that of `DynamicScaler`:
/// a round whenever one is due, and an early one, at least 10 ms after the last, for a job that found nobody idle if
/// the policy asks for it. Equal arguments give equal recordings. Fails with the name of the wrong setting.
[[nodiscard]] Made<Recording> simulate(const Trace& trace, const Scenario& scenario);

}  // namespace optimux::pool::simulator
