#include "simulator/simulation.hpp"

#include <algorithm>

namespace optimux::pool::simulator {
namespace {

// As DynamicScaler: submissions may ask for an early round, but no sooner than this after the last.
constexpr Duration kShortestPause = std::chrono::milliseconds(10);

class Simulation {
 public:
  Simulation(const Trace& trace, const Scenario& scenario)
      : trace_(trace),
        interval_(scenario.sample_interval),
        hears_submits_(scenario.policy->reacts_to_submits()),
        clock_(std::make_shared<ManualClock>()),
        start_(clock_->now()),
        workforce_(scenario.machine, scenario.limits.queue_capacity, trace, start_,
                   {[this](WorkerIndex index) { supervisor_.worker_ready(index); },
                    [this](WorkerIndex index) { retired(index); }}),
        supervisor_(config(scenario), workforce_) {}

  Recording run() {
    step();
    while (next_job_ < trace_.jobs.size() || !workforce_.quiet()) {
      advance_to(std::min({next_arrival(), workforce_.next_event(), control_at_, next_sample_}));
    }
    recording_.end = std::max(clock_->now() - start_, trace_.length);
    recording_.jobs = workforce_.records();
    return std::move(recording_);
  }

 private:
  Config config(const Scenario& scenario) const {
    Config config = config_of(scenario);
    config.clock = clock_;
    return config;
  }

  [[nodiscard]] TimePoint next_arrival() const {
    return next_job_ < trace_.jobs.size() ? start_ + trace_.jobs[next_job_].at : kNever;
  }

  // All that is due at one moment happens in a fixed order: jobs end, workers begin, jobs arrive, the pool decides.
  void advance_to(TimePoint now) {
    clock_->advance(now - clock_->now());
    workforce_.advance(now);
    while (next_arrival() <= now) arrive();
    if (control_at_ <= now) step();
    if (next_sample_ <= now) sample();
  }

  void arrive() {
    const bool wants_growth = workforce_.submit(next_job_++);
    if (!wants_growth || !hears_submits_) return;
    control_at_ = std::min(control_at_, std::max(clock_->now(), last_step_ + kShortestPause));
  }

  void retired(WorkerIndex index) {
    supervisor_.worker_exited(index, {ExitKind::kRetired, ""});
    control_at_ = clock_->now();
  }

  void step() {
    last_step_ = clock_->now();
    control_at_ = kNever;  // before the round: a worker that leaves during it asks for another
    const TimePoint next = std::max(supervisor_.step(), last_step_);
    control_at_ = std::min(control_at_, next);
    note_workers();
  }

  void note_workers() {
    const WorkerChange now{clock_->now() - start_, workforce_.live(), workforce_.total()};
    const auto& changes = recording_.workers;
    const bool is_news = changes.empty() || changes.back().live != now.live || changes.back().total != now.total;
    if (is_news) recording_.workers.push_back(now);
  }

  void sample() {
    recording_.samples.push_back({clock_->now() - start_, workforce_.total(), workforce_.live(), workforce_.in_flight(),
                                  workforce_.queue_depth()});
    next_sample_ += interval_;
  }

  const Trace& trace_;
  const Duration interval_;
  const bool hears_submits_;
  const std::shared_ptr<ManualClock> clock_;
  const TimePoint start_;
  SimulatedWorkforce workforce_;
  Supervisor supervisor_;
  std::size_t next_job_ = 0;
  TimePoint control_at_{};
  TimePoint last_step_{};
  TimePoint next_sample_ = start_;
  Recording recording_;
};

}  // namespace

Config config_of(const Scenario& scenario) {
  Config config;
  config.name = "simulated";
  config.min_workers = scenario.limits.min_workers;
  config.max_workers = scenario.limits.max_workers;
  config.queue_capacity = scenario.limits.queue_capacity;
  config.policy = scenario.policy;
  config.gate = scenario.gate;
  config.cpu_counter = [cpus = scenario.machine.cpus] { return CpuCount{cpus, cpus, std::nullopt, "simulated"}; };
  return config;
}

std::optional<ConfigError> check_scenario(const Scenario& scenario) {
  if (scenario.machine.cpus < 1) return ConfigError{"cpus", "must be at least 1"};
  if (scenario.machine.start_up < Duration::zero()) return ConfigError{"start_up", "must not be negative"};
  if (scenario.sample_interval <= Duration::zero()) return ConfigError{"sample_interval", "must be above 0"};
  return validate(config_of(scenario));
}

Made<Recording> simulate(const Trace& trace, const Scenario& scenario) {
  if (auto error = check_scenario(scenario)) return *std::move(error);
  return Simulation(trace, scenario).run();
}

}  // namespace optimux::pool::simulator
