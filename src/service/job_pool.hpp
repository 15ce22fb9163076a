#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace optimux::service {

/// How a pool is set up. Every field is a configuration key with the pool's name before it, as in `image_workers_max`.
struct PoolSettings {
  std::string name = "image";
  int workers_min = 1;
  int workers_max = 0;            ///< 0: the CPUs that this process may use.
  int queue = 1000;               ///< Jobs that may wait.
  std::string policy = "little";  ///< `little`, `queue`, `spawn` or `fixed`.
  int niceness = 5;  ///< Added to the workers' nice value, so that answers stay prompt on a saturated machine.
};

/// What is to be thought of a pool's limits under the load of this moment (`advisor/live_advice.hpp`).
struct PoolRecommendation {
  std::string verdict;     ///< "idle", "right", "raise the cap", "add CPUs" or "stuck jobs".
  int workers = 0;         ///< Workers that the load wants; 0 while idle.
  double busy = 0;         ///< Workers that the arrivals keep busy.
  double utilisation = 0;  ///< `busy` over the workers that there may usefully be.
  bool gated = false;      ///< Another worker would add no capacity now.
  std::string text;        ///< All of it in words.
};

/// The state of a pool, for the admin listener and for metrics.
struct PoolFigures {
  std::string name;
  int workers_min = 0, workers_max = 0;
  int workers_limit = 0;  ///< What `workers_max` may be set to while running: 16 for each CPU, or what is configured.
  int live = 0, total = 0, retiring = 0, idle = 0, in_flight = 0;
  int queue_depth = 0, queue_capacity = 0;
  std::uint64_t accepted = 0, refused = 0, done = 0, failed = 0, cancelled = 0, expired = 0;
  double arrival_rate = 0;                                   ///< Jobs a second, smoothed.
  double wait_p50 = 0, wait_p95 = 0, wait_p99 = 0;           ///< Seconds.
  double service_p50 = 0, service_p95 = 0, service_p99 = 0;  ///< Seconds.
  double expected_wait = 0;                                  ///< Seconds that a job submitted now would wait.
  std::string policy;
  std::string cpu_source;  ///< Where the CPU count comes from.
  int cpus = 0;
  PoolRecommendation recommendation;
};

/// One scale decision.
struct PoolDecision {
  double age = 0;  ///< Seconds ago.
  int live = 0, queue_depth = 0, in_flight = 0;
  int target = 0;
  std::string reason;
};

/// Whether a job that waits for `expected_wait` and has time until `deadline` is worth accepting: the wait may take
/// half of what is left. Under lasting overload the queue grows to the longest wait that is accepted. If that were all
/// of the time, every job would be started when its time is over, and the pool would be busy with work that nobody
/// gets.
bool leaves_time(std::chrono::microseconds expected_wait, base::Deadline deadline);

/// A pool of workers as the service uses it, and its face for the admin listener. `make` gives the real one, a
/// `pool::DynamicScaler` of CPU jobs; tests put their own behind the same interface. Thread-safe.
class JobPool {
 public:
  /// Why a job ended without running to its own end.
  enum class Refusal { kFull, kStopped, kExpired, kCancelled };

  struct Job {
    /// Runs in a worker's thread. `waited` is the time spent in the queue. `stop` fires with the job's own token and
    /// when the pool stops.
    std::function<void(std::chrono::microseconds waited, std::stop_token stop)> run;
    /// Asked once when `run` has returned, in the same thread: whether it gave up because it was told to stop, which
    /// then counts as cancelled. (That the token has fired does not say so: it also fires when a job has failed by
    /// itself.) May be empty: it did not.
    std::function<bool()> was_cut_short;
    /// Called instead of `run`, once, when the job was accepted but will never start. In any thread: that of a worker,
    /// of the one who fired the token or stopped the pool, or the pool's own. Must not block.
    std::function<void(Refusal reason)> dropped;
    base::Deadline deadline;
    std::stop_token stop;
  };

  /// A pool with its workers started. Errors: kInvalidParameter naming the setting.
  static base::Result<std::unique_ptr<JobPool>> make(const PoolSettings& settings);

  JobPool() = default;
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  /// Stops the pool: waits for running jobs, drops waiting ones. Not in a worker's thread.
  virtual ~JobPool() = default;

  /// Hands a job over without waiting. kOverloaded when the queue is full or the expected wait does not leave time
  /// (`leaves_time`), kDeadlineExceeded when that has passed, kShuttingDown when the pool has stopped; the job's
  /// functions are then not called.
  virtual base::Status submit(Job job) = 0;

  /// Takes no more jobs, lets those that are there finish until `deadline`, then stops. Blocks; not in a worker's
  /// thread. True when all were finished.
  virtual bool drain(base::Deadline deadline) = 0;

  /// Changes limits while running; 0 for `workers_max` as in the settings. kInvalidParameter names the field.
  virtual base::Status set_limits(int workers_min, int workers_max) = 0;

  virtual PoolFigures figures() const = 0;
  virtual std::vector<PoolDecision> decisions() const = 0;  ///< Oldest first, bounded.
  /// Time that a job submitted now would wait, as far as can be told.
  virtual std::chrono::microseconds expected_wait() const = 0;
};

}  // namespace optimux::service
