#include "simulator/experiment.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace optimux::pool::simulator {
namespace {

struct Run {
  const LoadSource* load;
  std::uint64_t seed;
  Scenario pool;
  int capacity_limit;
  Report* report;
};

Report carry_out(const Run& run) {
  const Trace trace = run.load->make(run.seed);
  auto recording = simulate(trace, run.pool);
  return report_on(*recording, trace, capacity(trace, run.capacity_limit));
}

std::optional<ConfigError> check(const Experiment& experiment) {
  for (const Gate& gate : experiment.gates) {
    for (const NamedPolicy& policy : experiment.policies) {
      Scenario pool = experiment.pool;
      pool.policy = policy.policy;
      pool.gate = gate;
      auto error = check_scenario(pool);
      if (!error) continue;
      if (error->field.starts_with("policy.")) error->message += ", in " + policy.name;
      return error;
    }
  }
  return std::nullopt;
}

// The runs of all outcomes; their reports have their final places.
std::vector<Run> plan(const Experiment& experiment, std::vector<Outcomes>& outcomes) {
  outcomes.reserve(experiment.loads.size() * experiment.gates.size() * experiment.policies.size());
  std::vector<Run> runs;
  for (const LoadSource& load : experiment.loads) {
    for (const Gate& gate : experiment.gates) {
      for (const NamedPolicy& policy : experiment.policies) {
        Outcomes& row = outcomes.emplace_back(Outcomes{load.name, policy.name, gate.name(), {}});
        row.reports.resize(experiment.seeds.size());
        Scenario pool = experiment.pool;
        pool.policy = policy.policy;
        pool.gate = gate;
        const int limit = useful_workers(gate, pool.machine.cpus, pool.limits.max_workers);
        for (std::size_t i = 0; i < experiment.seeds.size(); ++i) {
          runs.push_back({&load, experiment.seeds[i], pool, limit, &row.reports[i]});
        }
      }
    }
  }
  return runs;
}

void run_all(const std::vector<Run>& runs, const Experiment& experiment) {
  std::atomic<std::size_t> next{0};
  Mutex mutex;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      *runs[i].report = carry_out(runs[i]);
      const MutexLock lock(mutex);
      ++done;
      if (experiment.progress) experiment.progress(done, runs.size());
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < experiment.threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

Summary summary_of(std::vector<double> figures) {
  if (figures.empty()) return {};
  std::sort(figures.begin(), figures.end());
  const std::size_t middle = figures.size() / 2;
  const bool is_even = figures.size() % 2 == 0;
  const double median = is_even ? (figures[middle - 1] + figures[middle]) / 2 : figures[middle];
  return {median, figures.front(), figures.back()};
}

}  // namespace

Made<std::vector<Outcomes>> run_experiment(const Experiment& experiment) {
  if (auto error = check(experiment)) return *std::move(error);
  std::vector<Outcomes> outcomes;
  run_all(plan(experiment, outcomes), experiment);
  return outcomes;
}

Summary summarise(const Outcomes& outcomes, const std::function<double(const Report&)>& figure) {
  std::vector<double> figures;
  for (const Report& report : outcomes.reports) figures.push_back(figure(report));
  return summary_of(std::move(figures));
}

Summary time_to_capacity(const Outcomes& outcomes) {
  return summarise(outcomes, [](const Report& report) {
    return report.time_to_capacity ? to_seconds(*report.time_to_capacity) : std::numeric_limits<double>::infinity();
  });
}

}  // namespace optimux::pool::simulator
