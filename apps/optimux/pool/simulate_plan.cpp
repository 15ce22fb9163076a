#include "apps/optimux/pool/simulate_plan.hpp"

#include "optimux/pool/cpu_count.hpp"
#include "simulator/loads.hpp"
#include "simulator/number_text.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

namespace optimux::apps {
namespace {

using pool::ConfigError;
using pool::Duration;
using pool::Gate;
using pool::Made;
using namespace pool::simulator;  // NOLINT(google-build-using-namespace): one library, read throughout

constexpr int kSimulatedCpus = 8;
constexpr int kWorkersPerCpu = 4;
constexpr int kMostCpus = 1024;
constexpr int kMostSeeds = 10'000;
constexpr double kMostVariation = 10;
constexpr double kMostTimeScale = 1000;
constexpr double kMostJobs = 1e7;      // as in a trace file; some hundred bytes each
constexpr double kLongestLoad = 1200;  // seconds, of the shapes

ConfigError refuse(const char* flag, std::string message) {
  return {flag, std::move(message)};
}

std::optional<ConfigError> check_ranges(const SimulateArguments& arguments) {
  if (arguments.cpus && (*arguments.cpus < 1 || *arguments.cpus > kMostCpus))
    return refuse("--cpus", "must be from 1 to 1024");
  if (arguments.seeds < 1 || arguments.seeds > kMostSeeds) return refuse("--seeds", "must be from 1 to 10000");
  if (!(arguments.variation >= 0 && arguments.variation <= kMostVariation)) {
    return refuse("--variation", "must be from 0 to 10");
  }
  if (!(arguments.time_scale > 0 && arguments.time_scale <= kMostTimeScale)) {
    return refuse("--time-scale", "must be above 0 and at most 1000");
  }
  return std::nullopt;
}

// "700ms", or "5ms+45ms" for a job that also waits.
Made<LoadOptions> read_service_time(const SimulateArguments& arguments, int cpus) {
  const std::string_view text = arguments.service_time;
  const auto plus = text.find('+');
  const auto cpu = read_duration(text.substr(0, plus));
  const auto wait = plus == std::string_view::npos ? Duration::zero() : read_duration(text.substr(plus + 1));
  if (!cpu || !wait || *cpu == Duration::zero()) {
    return refuse("--service-time", "'" + arguments.service_time +
                                        "' is none; allowed: the CPU time of a job, above 0, as 700ms, and, after a +, "
                                        "the time that it waits for something else: 5ms+45ms");
  }
  LoadOptions options{cpus, *cpu, *wait, arguments.variation, arguments.time_scale};
  if (cpus / pool::to_seconds(*cpu) * kLongestLoad * arguments.time_scale > kMostJobs) {
    return refuse("--service-time", "is so short that more than ten million jobs would arrive; shorten --time-scale");
  }
  return options;
}

Made<LoadSource> read_load_file(const SimulateArguments& arguments) {
  if (arguments.seeds > 1) return refuse("--seeds", "is of no use with a trace file: every run would be the same");
  std::ifstream file(arguments.load);
  if (!file) {
    return refuse("--load", "'" + arguments.load +
                                "' is neither step, burst, sawtooth, diurnal nor all, nor a file that can be read");
  }
  auto trace = read_trace(file, arguments.load);
  if (!trace) {
    return refuse("--load", "'" + arguments.load + "': " + trace.error().field + " " + trace.error().message);
  }
  return LoadSource{arguments.load, [trace = *std::move(trace)](std::uint64_t) { return trace; }};
}

LoadSource made_up(Shape shape, const LoadOptions& options) {
  return {std::string(to_string(shape)), [=](std::uint64_t seed) { return make_load(shape, options, seed); }};
}

Made<std::vector<LoadSource>> read_loads(const SimulateArguments& arguments, int cpus) {
  auto options = read_service_time(arguments, cpus);
  if (!options) return options.error();
  std::vector<LoadSource> loads;
  for (const Shape shape : kShapes) {
    if (arguments.load == "all" || arguments.load == to_string(shape)) loads.push_back(made_up(shape, *options));
  }
  if (!loads.empty()) return loads;
  auto file = read_load_file(arguments);
  if (!file) return file.error();
  loads.push_back(*std::move(file));
  return loads;
}

Made<std::vector<NamedPolicy>> read_policies(const SimulateArguments& arguments, int cpus) {
  std::vector<NamedPolicy> policies;
  for (const std::string& name : arguments.policies) {
    if (name == "all") {
      for (NamedPolicy& policy : all_policies(cpus)) policies.push_back(std::move(policy));
      continue;
    }
    auto policy = policy_of(name);
    if (!policy) return refuse("--policy", policy.error().message + ", all");
    policies.push_back(*std::move(policy));
  }
  return policies;
}

Made<std::vector<Gate>> read_gates(const SimulateArguments& arguments) {
  const bool compares =
      std::find(arguments.policies.begin(), arguments.policies.end(), "all") != arguments.policies.end();
  std::vector<std::string> names = arguments.gates;
  if (names.empty()) names = compares ? std::vector<std::string>{"cpu", "none"} : std::vector<std::string>{"none"};
  std::vector<Gate> gates;
  for (const std::string& name : names) {
    auto gate = gate_of(name);
    if (!gate) return refuse("--gate", gate.error().message);
    gates.push_back(*std::move(gate));
  }
  return gates;
}

Made<Scenario> read_pool(const SimulateArguments& arguments, int cpus) {
  const auto start_up = read_duration(arguments.start_up);
  if (!start_up) return refuse("--start-up", "'" + arguments.start_up + "' is no time; allowed: as 50ms or 1.5s");
  if (arguments.replay && *start_up > Duration::zero()) return refuse("--start-up", "cannot be chosen for a replay");
  Scenario pool;
  pool.limits.min_workers = arguments.min_workers;
  pool.limits.max_workers = arguments.max_workers.value_or(kWorkersPerCpu * cpus);
  pool.limits.queue_capacity = arguments.queue;
  pool.machine = {cpus, *start_up};
  return pool;
}

int choose_cpus(const SimulateArguments& arguments) {
  if (arguments.cpus) return *arguments.cpus;
  return arguments.replay ? pool::count_cpus().cpus : kSimulatedCpus;
}

}  // namespace

Made<Experiment> make_experiment(const SimulateArguments& arguments) {
  if (auto error = check_ranges(arguments)) return *std::move(error);
  const int cpus = choose_cpus(arguments);
  auto loads = read_loads(arguments, cpus);
  if (!loads) return loads.error();
  auto policies = read_policies(arguments, cpus);
  if (!policies) return policies.error();
  auto gates = read_gates(arguments);
  if (!gates) return gates.error();
  auto scenario = read_pool(arguments, cpus);
  if (!scenario) return scenario.error();
  Experiment experiment;
  experiment.loads = *std::move(loads);
  experiment.policies = *std::move(policies);
  experiment.gates = *std::move(gates);
  experiment.pool = *std::move(scenario);
  for (int i = 0; i < arguments.seeds; ++i) experiment.seeds.push_back(arguments.seed + static_cast<std::uint64_t>(i));
  experiment.threads = pool::count_cpus().cpus;
  return experiment;
}

std::vector<SingleRun> first_runs(const Experiment& experiment) {
  std::vector<SingleRun> runs;
  const Trace trace = experiment.loads.front().make(experiment.seeds.front());
  for (const Gate& gate : experiment.gates) {
    for (const NamedPolicy& policy : experiment.policies) {
      Scenario scenario = experiment.pool;
      scenario.policy = policy.policy;
      scenario.gate = gate;
      const int most = useful_workers(gate, scenario.machine.cpus, scenario.limits.max_workers);
      runs.push_back({trace, scenario, policy.name, capacity(trace, most)});
    }
  }
  return runs;
}

}  // namespace optimux::apps
