#include "optimux/pool/supervisor.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace optimux::pool {
namespace {

constexpr Duration kCpuInterval = std::chrono::seconds(5);
constexpr Duration kQuantileInterval = std::chrono::seconds(30);

}  // namespace

Supervisor::Supervisor(const Config& config, Workforce& workforce)
    : grace_(config.retire_grace),
      first_backoff_(config.first_backoff),
      longest_backoff_(config.longest_backoff),
      clock_(config.clock),
      observer_(config.observer ? config.observer : std::make_shared<Observer>()),
      cpu_counter_(config.cpu_counter),
      policy_(config.policy),
      workforce_(workforce),
      controller_(config.policy, config.gate),
      limits_(config.limits()),
      log_(config.decision_log_capacity) {}

TimePoint Supervisor::step() {
  const MutexLock lock(step_mutex_);
  const TimePoint now = clock_->now();
  reap(now);
  nudge_overdue(now);
  const Load load = read_load(now);
  measure(load, now);
  decide(load, now);
  return next_step();
}

Load Supervisor::read_load(TimePoint now) const {
  Duration overrun_after;
  {
    const MutexLock lock(mutex_);
    overrun_after = meter_.overrun_after();
  }
  return workforce_.load(now, overrun_after);
}

void Supervisor::reap(TimePoint now) {
  std::vector<Departure> departures;
  {
    const MutexLock lock(mutex_);
    departures.swap(departures_);
  }
  if (departures.empty()) return;
  std::vector<WorkerIndex> left;
  for (const Departure& departure : departures) {
    workforce_.join(departure.index);
    left.push_back(departure.index);
  }
  {
    const MutexLock lock(mutex_);
    for (const Departure& departure : departures) count_departure(departure, now);
    registry_.free(std::move(left));
  }
  for (const Departure& departure : departures) observer_->on_worker_exited(departure.index, departure.exit);
}

void Supervisor::count_departure(const Departure& departure, TimePoint now) {
  const auto* slot = registry_.find(departure.index);
  OPTIMUX_POOL_CHECK(slot != nullptr, "I6: a slot is kept until its worker has left");
  switch (departure.exit.kind) {
    case ExitKind::kRetired: ++counters_.workers_retired; return;
    case ExitKind::kStopped: return;
    case ExitKind::kReturned:
    case ExitKind::kThrew: ++counters_.workers_crashed; break;
  }
  // A worker that falls before its first look for a job will not do better at once: as if it could not be created.
  if (slot != nullptr && !slot->ready) note_failure(now);
}

void Supervisor::note_failure(TimePoint now) {
  Duration pause = first_backoff_;
  for (int i = 0; i < failures_ && pause < longest_backoff_; ++i) pause *= 2;
  ++failures_;
  ++counters_.start_failures;
  may_start_at_ = now + std::min(pause, longest_backoff_);
}

void Supervisor::nudge_overdue(TimePoint now) {
  std::vector<WorkerIndex> overdue;
  {
    const MutexLock lock(mutex_);
    overdue = registry_.nudge_overdue(now, grace_);
    counters_.nudges += overdue.size();
  }
  for (const WorkerIndex index : overdue) {
    workforce_.nudge(index);
    observer_->on_worker_nudged(index);
  }
}

void Supervisor::measure(const Load& load, TimePoint now) {
  if (counted_cpus_at_ == TimePoint{} || now - counted_cpus_at_ >= kCpuInterval) {
    counted_cpus_at_ = now;
    const int cpus = cpu_counter_().cpus;
    const MutexLock lock(mutex_);
    cpus_ = cpus;
  }
  if (now - rotated_at_ >= kQuantileInterval) {
    if (rotated_at_ != TimePoint{}) workforce_.rotate_quantiles();
    rotated_at_ = now;
  }
  const MutexLock lock(mutex_);
  meter_.read(load, cpus_, now);
}

void Supervisor::decide(const Load& load, TimePoint now) {
  Snapshot input;
  {
    const MutexLock lock(mutex_);
    earliest_deadline_ = load.earliest_deadline;
    if (stopped_) return;
    input = make_snapshot(load, now);
  }
  std::optional<Decision> decision = controller_.decide(input, now);
  const bool was_growth = decision && decision->target > input.live;
  bool is_news = false;
  {
    const MutexLock lock(mutex_);
    memory_ = controller_.memory();
    if (!decision) return;
    if (was_growth && now < may_start_at_) {
      decision->target = input.live;
      decision->reason = Reason::kStartBackoff;
    }
    is_news = log_.add(*decision);
  }
  if (carry_out(*decision, now) == 0 && was_growth) {
    controller_.forget_growth();
    const MutexLock lock(mutex_);
    memory_ = controller_.memory();
  }
  if (is_news) observer_->on_decision(*decision);
}

int Supervisor::carry_out(const Decision& decision, TimePoint now) {
  int started = 0;
  for (int live = decision.input.live; live < decision.target && start_one(now); ++live) ++started;
  if (decision.target < decision.input.live) retire(decision.input.live - decision.target, now);
  const MutexLock lock(mutex_);
  check_invariants();
  return started;
}

bool Supervisor::start_one(TimePoint now) {
  WorkerIndex index = 0;
  {
    const MutexLock lock(mutex_);
    if (stopped_ || registry_.total() >= limits_.max_workers) return false;
    index = registry_.append();
  }
  std::string error;
  try {
    workforce_.start(index);
    {
      const MutexLock lock(mutex_);
      ++counters_.workers_started;
    }
    observer_->on_worker_started(index);
    return true;
  } catch (const std::exception& exception) {
    error = exception.what();
  } catch (...) {
    error = "unknown error";
  }
  {
    const MutexLock lock(mutex_);
    registry_.free(index);
    note_failure(now);
  }
  observer_->on_start_failed(error);
  return false;
}

void Supervisor::retire(int workers, TimePoint now) {
  std::vector<WorkerIndex> indices;
  {
    const MutexLock lock(mutex_);
    indices = registry_.retire_newest(workers, now);
  }
  for (const WorkerIndex index : indices) workforce_.ask_retire(index);
}

int Supervisor::most_live(TimePoint now) const {
  const int live = registry_.live();
  if (now < may_start_at_) return live;
  const int retiring = registry_.total() - live;
  const int wanted = std::max(policy_->most_workers(limits_), limits_.min_workers);
  return std::max(live, std::min({limits_.max_workers - retiring, memory_.growth_limit, wanted}));
}

Snapshot Supervisor::make_snapshot(const Load& load, TimePoint now) const {
  Snapshot snapshot;
  snapshot.at = now;
  snapshot.min_workers = limits_.min_workers;
  snapshot.max_workers = limits_.max_workers;
  snapshot.live = registry_.live();
  snapshot.total = registry_.total();
  snapshot.retiring = snapshot.total - snapshot.live;
  snapshot.most_live = most_live(now);
  snapshot.starting = registry_.starting();
  snapshot.idle = load.idle;
  snapshot.in_flight = load.in_flight;
  snapshot.queue_depth = load.queue_depth;
  snapshot.queue_capacity = load.queue_capacity;
  snapshot.longest_idle = load.longest_idle;
  snapshot.in_flight_age = load.in_flight_age;
  snapshot.overrunning = load.overrunning;
  snapshot.cpus = cpus_;
  snapshot.wait = load.wait;
  snapshot.service = load.service;
  snapshot.draining = load.draining;
  snapshot.stopped = load.stopped;
  snapshot.counters = load.counters;
  snapshot.counters.workers_started = counters_.workers_started;
  snapshot.counters.workers_retired = counters_.workers_retired;
  snapshot.counters.workers_crashed = counters_.workers_crashed;
  snapshot.counters.start_failures = counters_.start_failures;
  snapshot.counters.nudges = counters_.nudges;
  meter_.fill(snapshot);
  memory_.fill(snapshot);
  return snapshot;
}

Snapshot Supervisor::snapshot() const {
  const TimePoint now = clock_->now();
  const Load load = read_load(now);
  const MutexLock lock(mutex_);
  return make_snapshot(load, now);
}

std::vector<Decision> Supervisor::decisions() const {
  const MutexLock lock(mutex_);
  return log_.entries();
}

std::optional<ConfigError> Supervisor::set_limits(const Limits& limits) {
  if (auto error = validate(limits)) return error;
  const MutexLock lock(mutex_);
  limits_ = limits;
  return std::nullopt;
}

void Supervisor::worker_ready(WorkerIndex index) {
  const MutexLock lock(mutex_);
  registry_.ready(index);
  failures_ = 0;
  may_start_at_ = {};
}

void Supervisor::worker_exited(WorkerIndex index, WorkerExit exit) {
  const MutexLock lock(mutex_);
  departures_.push_back({index, std::move(exit)});
}

void Supervisor::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
}

int Supervisor::total() const {
  const MutexLock lock(mutex_);
  return registry_.total();
}

TimePoint Supervisor::next_step() const {
  const MutexLock lock(mutex_);
  if (!departures_.empty()) return {};
  TimePoint next = registry_.next_nudge(grace_);
  if (stopped_) return next;
  next = std::min({next, controller_.next_at(), earliest_deadline_});
  if (may_start_at_ != TimePoint{} && registry_.live() < limits_.min_workers) next = std::min(next, may_start_at_);
  return next;
}

void Supervisor::check_invariants() const {
  OPTIMUX_POOL_CHECK(std::is_sorted(registry_.slots().begin(), registry_.slots().end(),
                                    [](const auto& a, const auto& b) { return a.index < b.index; }),
                     "the registry is ordered by creation");
  OPTIMUX_POOL_CHECK(registry_.live() <= registry_.total(), "I2: live is counted from the registry");
}

}  // namespace optimux::pool
