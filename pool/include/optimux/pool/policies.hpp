/// \file
/// The policies that ship.
#pragma once

#include "optimux/pool/policy.hpp"

namespace optimux::pool {

/// Grows by one worker when the queue is long, shrinks by one when it is short, then leaves the pool alone for a while.
/// The classic rule, kept as the reference for the others: the length of the queue says nothing of the jobs being run,
/// so a pool that is busy to the last worker with an empty queue is told to shrink.
class QueueLengthPolicy final : public Policy {
 public:
  struct Options {
    std::size_t scale_up_threshold = 10;   ///< Grow while more jobs wait.
    std::size_t scale_down_threshold = 1;  ///< Shrink while fewer jobs wait; at least 1, or it could never shrink.
    Duration check_interval = std::chrono::seconds(5);
    Duration cooldown = std::chrono::seconds(30);  ///< No change for so long after a change.
  };
  QueueLengthPolicy() = default;
  /// With settings of your own.
  explicit QueueLengthPolicy(const Options& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "queue-length"; }
  [[nodiscard]] Duration interval() const override { return options_.check_interval; }
  [[nodiscard]] Duration window() const override { return options_.cooldown; }
  [[nodiscard]] std::optional<ConfigError> validate(const Limits& limits) const override;
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint now) const override;

 private:
  Options options_;
};

/// One more worker for each job that was submitted while nobody was idle and still waits; one fewer when a worker has
/// been idle for `idle_time`. What most thread pools with a variable size do: the honest baseline.
class SpawnOnSubmitPolicy final : public Policy {
 public:
  struct Options {
    Duration idle_time = std::chrono::seconds(10);
    Duration check_interval = std::chrono::milliseconds(100);
  };
  SpawnOnSubmitPolicy() = default;
  /// With settings of your own.
  explicit SpawnOnSubmitPolicy(const Options& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "spawn-on-submit"; }
  [[nodiscard]] Duration interval() const override { return options_.check_interval; }
  [[nodiscard]] Duration window() const override { return options_.idle_time; }
  [[nodiscard]] bool reacts_to_submits() const override { return true; }
  [[nodiscard]] std::optional<ConfigError> validate(const Limits& limits) const override;
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint now) const override;

 private:
  Options options_;
};

/// Little's law (the number of busy workers is arrival rate x service time) with head-room, plus the workers that empty
/// the queue within `drain_time`. Growth follows at once; shrinking goes in steps, and at two paces. A load that asks
/// for a little less may ask for more again soon: it must have asked for no more during the whole `stable_window`. A
/// load that has collapsed, so that it has asked for no more than `collapse` of the workers during `collapse_window`,
/// is followed then. The default.
///
/// target = ceil(offered load / utilisation + waiting jobs x service time / drain time)
///
/// The service time is that of jobs that have ended. So when jobs wait while every worker is held by one that overruns,
/// nobody is there to empty the queue, whatever the formula says: one more then.
class LittlePolicy final : public Policy {
 public:
  struct Options {
    double utilisation = 0.8;  ///< Share of the time that a worker may be busy; above 0, at most 1.
    Duration drain_time = std::chrono::seconds(2);  ///< Time in which the waiting jobs should be started.
    double dead_band = 0.1;                         ///< Differences up to this share of the present number are ignored.
    double largest_shrink = 0.25;                   ///< Largest share of the workers to leave in one step.
    Duration stable_window = std::chrono::seconds(45);  ///< No shrinking below what was wanted within it, but:
    double collapse = 0.4;  ///< What share of the workers the load must not have asked for more than …
    Duration collapse_window = std::chrono::seconds(2);  ///< … within this time, to be followed at once.
    Duration settle_time = std::chrono::seconds(15);     ///< No shrinking at all so soon after a growth.
    Duration check_interval = std::chrono::milliseconds(100);
  };
  LittlePolicy() = default;
  /// With settings of your own.
  explicit LittlePolicy(const Options& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "little"; }
  [[nodiscard]] Duration interval() const override { return options_.check_interval; }
  [[nodiscard]] Duration window() const override { return options_.settle_time; }
  [[nodiscard]] Duration peak_window() const override { return options_.stable_window; }
  [[nodiscard]] Duration short_peak_window() const override { return options_.collapse_window; }
  [[nodiscard]] bool reacts_to_submits() const override { return true; }
  [[nodiscard]] std::optional<ConfigError> validate(const Limits& limits) const override;
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint now) const override;

 private:
  [[nodiscard]] std::optional<ConfigError> validate_times() const;
  [[nodiscard]] Verdict decide_cold(const Snapshot& snapshot) const;
  [[nodiscard]] Verdict shrink(const Snapshot& snapshot, int desired) const;

  Options options_;
};

/// Always the same number of workers.
class FixedPolicy final : public Policy {
 public:
  /// `workers` must lie within the pool's limits.
  explicit FixedPolicy(int workers) : workers_(workers) {}

  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  [[nodiscard]] Duration interval() const override { return std::chrono::seconds(1); }
  [[nodiscard]] int most_workers(const Limits& /*limits*/) const override { return workers_; }
  [[nodiscard]] std::optional<ConfigError> validate(const Limits& limits) const override;
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint now) const override;

 private:
  int workers_;
};

}  // namespace optimux::pool
