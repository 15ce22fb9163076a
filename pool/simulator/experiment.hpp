/// \file
/// Several pools under the same loads, several times.
#pragma once

#include "simulator/contender.hpp"
#include "simulator/report.hpp"
#include "simulator/simulation.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace optimux::pool::simulator {

/// A load that depends on a seed.
struct LoadSource {
  std::string name;
  std::function<Trace(std::uint64_t seed)> make;  ///< Called by several threads at once.
};

/// What is to be tried with what: each policy, behind each gate, under each load, for each seed.
struct Experiment {
  std::vector<LoadSource> loads;
  std::vector<NamedPolicy> policies;
  std::vector<Gate> gates;
  std::vector<std::uint64_t> seeds;
  Scenario pool;    ///< Limits and machine of all; policy and gate are put in.
  int threads = 1;  ///< That work on it; at least 1. The result does not depend on them.
  std::function<void(std::size_t done, std::size_t all)>
      progress;  ///< After each run, one call at a time; may be empty.
};

/// The runs of one pool under one load.
struct Outcomes {
  std::string load;
  std::string policy;
  std::string gate;
  std::vector<Report> reports;  ///< One a seed, in their order.
};

/// Runs all of it; ordered by load, then gate, then policy. Fails with the name of the first wrong setting, before
/// anything is run. Blocks.
[[nodiscard]] Made<std::vector<Outcomes>> run_experiment(const Experiment& experiment);

/// The middle of some figures, and their ends.
struct Summary {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Summarises one figure of all reports.
[[nodiscard]] Summary summarise(const Outcomes& outcomes, const std::function<double(const Report&)>& figure);

/// Median over the seeds of the time to capacity, in seconds; infinite if most of them never got there.
[[nodiscard]] Summary time_to_capacity(const Outcomes& outcomes);

}  // namespace optimux::pool::simulator
