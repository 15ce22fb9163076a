/// \file
/// All settings of a pool.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/cpu_count.hpp"
#include "optimux/pool/gate.hpp"
#include "optimux/pool/observer.hpp"
#include "optimux/pool/policies.hpp"
#include "optimux/pool/unique_function.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace optimux::pool {

/// Who calls `DynamicScaler::step`.
enum class Control : std::uint8_t {
  kOwnThread,  ///< A control thread of the pool.
  kByCaller,   ///< The caller, as often as it likes: for tests and for event loops that already have a timer.
};

/// The settings of a pool. The defaults make a pool of one worker up to the number of usable CPUs with `LittlePolicy`.
struct Config {
  std::string name = "pool";  ///< For logs; not empty.
  int min_workers = 1;        ///< Floor of live workers; 0 or more.
  int max_workers =
      pool::count_cpus().cpus;        ///< Cap on all workers, starting and retiring ones included; 1 to 1,000,000.
  std::size_t queue_capacity = 1024;  ///< Jobs that may wait; 1 to 100,000,000. Memory is taken as it is needed.

  /// Time between asking a worker to leave and firing its stop token; 0 or more.
  Duration retire_grace = std::chrono::seconds(2);
  /// How many workers there should be; not null.
  std::shared_ptr<const Policy> policy = std::make_shared<LittlePolicy>();
  /// When more workers would be of no use.
  Gate gate = {};

  /// Pause after a worker could not be created; doubled by every further failure up to the second; above 0.
  Duration first_backoff = std::chrono::milliseconds(100);
  /// The longest such pause; not below `first_backoff`.
  Duration longest_backoff = std::chrono::seconds(30);

  std::shared_ptr<Observer> observer = nullptr;    ///< Told what happens; may be null.
  std::size_t decision_log_capacity = 256;         ///< Entries kept; at least 1.
  std::shared_ptr<Clock> clock = Clock::steady();  ///< Not null.
  /// Who calls `step`.
  Control control = Control::kOwnThread;

  /// Linux: while it waits for a job a worker is under the kernel's policy SCHED_BATCH, so that one that is woken does
  /// not take the CPU from the thread that has just submitted its job, but uses another CPU or waits for the next tick.
  /// That saves two context switches for a few dozen small jobs. Costs some milliseconds until the first job after an
  /// idle time begins, when no CPU is idle. Jobs run under the normal policy: what they wait for wakes them at once.
  /// Has no effect where `on_thread_start` or a handler has chosen another policy.
  bool gives_way_to_submitters = true;
  /// Counts the usable CPUs; called by `step` when the pool is made and every 5 s; not empty.
  std::function<CpuCount()> cpu_counter = [] { return pool::count_cpus(); };
  /// Runs first on each worker's thread: to name it, to set its nice value. May be empty. If it throws, so does the
  /// worker.
  std::function<void(WorkerIndex)> on_thread_start = nullptr;
  /// Makes a thread that runs its argument; throws what `std::thread` throws if it cannot. Not empty.
  std::function<std::thread(UniqueFunction<void()>)> start_thread = [](UniqueFunction<void()> run) {
    return std::thread(std::move(run));
  };

  /// The part that `set_limits` can change.
  [[nodiscard]] Limits limits() const { return {min_workers, max_workers, queue_capacity}; }
};

/// What is wrong with `limits`; empty when nothing is.
[[nodiscard]] std::optional<ConfigError> validate(const Limits& limits);
/// What is wrong with `config`, the settings of its policy and its gate included; empty when nothing is.
[[nodiscard]] std::optional<ConfigError> validate(const Config& config);

}  // namespace optimux::pool
