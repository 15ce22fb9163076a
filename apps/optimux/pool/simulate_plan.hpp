#pragma once

#include "optimux/pool/config_error.hpp"
#include "simulator/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace optimux::apps {

/// `optimux pool simulate` as it was typed.
struct SimulateArguments {
  std::string load = "step";
  std::vector<std::string> policies = {"little"};
  std::vector<std::string> gates;
  std::optional<int> cpus;  ///< By default eight, or those of this machine for a replay.
  std::string service_time = "700ms";
  double variation = 0.3;
  double time_scale = 1;
  int min_workers = 1;
  std::optional<int> max_workers;  ///< By default four a CPU.
  std::size_t queue = 1024;
  std::string start_up = "0";
  std::uint64_t seed = 1;
  int seeds = 1;
  bool replay = false;
};

/// What it means. Reads the trace if the load is one. A refusal names the flag.
pool::Made<pool::simulator::Experiment> make_experiment(const SimulateArguments& arguments);

/// One run of an experiment.
struct SingleRun {
  pool::simulator::Trace trace;
  pool::simulator::Scenario scenario;
  std::string policy;
  int capacity = 1;
};

/// Every pool of `experiment` under its first load with its first seed, in the order of its outcomes.
std::vector<SingleRun> first_runs(const pool::simulator::Experiment& experiment);

}  // namespace optimux::apps
