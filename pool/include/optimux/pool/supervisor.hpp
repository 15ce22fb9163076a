/// \file
/// Keeps the number of workers where it should be, whatever the workers are.
#pragma once

#include "optimux/pool/config.hpp"
#include "optimux/pool/controller.hpp"
#include "optimux/pool/load_meter.hpp"
#include "optimux/pool/registry.hpp"

#include <atomic>

namespace optimux::pool {

/// The workers as the supervisor sees them: threads, coroutines, or lines of a simulation. All calls come from `step`,
/// one at a time, with no lock of the supervisor held, except `load`, which any thread may cause.
class Workforce {
 public:
  Workforce() = default;
  Workforce(const Workforce&) = delete;
  Workforce& operator=(const Workforce&) = delete;
  virtual ~Workforce() = default;

  /// The figures of this moment. A job that has been running for longer than `overrun_after` overruns.
  [[nodiscard]] virtual Load load(TimePoint now, Duration overrun_after) const = 0;
  /// Creates worker `index`. Throws when that cannot be done; nothing is left of it then.
  virtual void start(WorkerIndex index) = 0;
  /// Asks worker `index` to leave when it has no job.
  virtual void ask_retire(WorkerIndex index) = 0;
  /// Fires the stop token of worker `index`.
  virtual void nudge(WorkerIndex index) = 0;
  /// Worker `index` has reported its exit: waits until nothing of it is left. Short.
  virtual void join(WorkerIndex index) = 0;
  /// Lets old durations be forgotten; called every 30 s.
  virtual void rotate_quantiles() = 0;
};

/// What workers tell: one has looked for its first job; one is leaving, as its last act. Called where the worker runs.
struct CrewEvents {
  /// The worker looks for its first job.
  std::function<void(WorkerIndex)> ready;
  /// The worker is leaving, and why.
  std::function<void(WorkerIndex, WorkerExit)> exited;
};

/// The registry, the controller and the loop between them. `step` does one round: slots of workers that have left are
/// freed, overdue workers nudged, the load read, a decision taken and carried out. All members may be called by any
/// thread.
class Supervisor {
 public:
  /// `config` has been validated. `workforce` must outlive the supervisor.
  Supervisor(const Config& config, Workforce& workforce);

  /// One round. Rounds do not overlap: a second caller waits. Returns when the next round is due.
  TimePoint step();
  /// The pool as it is now.
  [[nodiscard]] Snapshot snapshot() const;
  /// The decision log, oldest entry first.
  [[nodiscard]] std::vector<Decision> decisions() const;
  /// New limits, carried out by the next step. Refuses what `validate` of limits refuses.
  std::optional<ConfigError> set_limits(const Limits& limits);

  /// Worker `index` looks for its first job.
  void worker_ready(WorkerIndex index);
  /// Worker `index` is leaving; the next step frees its slot. Called by the worker as its last act.
  void worker_exited(WorkerIndex index, WorkerExit exit);
  /// No worker is created any more.
  void stop();
  /// Slots in use.
  [[nodiscard]] int total() const;

 private:
  struct Departure {
    WorkerIndex index;
    WorkerExit exit;
  };

  [[nodiscard]] Load read_load(TimePoint now) const;
  void reap(TimePoint now) OPTIMUX_POOL_REQUIRES(step_mutex_);
  void count_departure(const Departure& departure, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void nudge_overdue(TimePoint now) OPTIMUX_POOL_REQUIRES(step_mutex_);
  void measure(const Load& load, TimePoint now) OPTIMUX_POOL_REQUIRES(step_mutex_);
  void decide(const Load& load, TimePoint now) OPTIMUX_POOL_REQUIRES(step_mutex_);
  int carry_out(const Decision& decision, TimePoint now);
  bool start_one(TimePoint now);
  void retire(int workers, TimePoint now);
  void note_failure(TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] int most_live(TimePoint now) const OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] Snapshot make_snapshot(const Load& load, TimePoint now) const OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] TimePoint next_step() const OPTIMUX_POOL_REQUIRES(step_mutex_);
  void check_invariants() const OPTIMUX_POOL_REQUIRES(mutex_);

  // Constant after construction.
  const Duration grace_;
  const Duration first_backoff_;
  const Duration longest_backoff_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Observer> observer_;
  const std::function<CpuCount()> cpu_counter_;
  const std::shared_ptr<const Policy> policy_;
  Workforce& workforce_;

  Mutex step_mutex_;                                            // taken before mutex_
  Controller controller_ OPTIMUX_POOL_GUARDED_BY(step_mutex_);  // calls policy and gate: not under mutex_
  TimePoint counted_cpus_at_ OPTIMUX_POOL_GUARDED_BY(step_mutex_){};
  TimePoint rotated_at_ OPTIMUX_POOL_GUARDED_BY(step_mutex_){};

  mutable Mutex mutex_;
  Limits limits_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  Registry registry_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  Controller::Memory memory_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  LoadMeter meter_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  DecisionLog log_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  Counters counters_ OPTIMUX_POOL_GUARDED_BY(mutex_);  // the part about workers
  std::vector<Departure> departures_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  TimePoint earliest_deadline_ OPTIMUX_POOL_GUARDED_BY(mutex_) = kNever;
  TimePoint may_start_at_ OPTIMUX_POOL_GUARDED_BY(mutex_){};
  int failures_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;  // in a row
  int cpus_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 1;
  bool stopped_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;
};

}  // namespace optimux::pool
