/// \file
/// The pool: one bounded queue, workers that compete for it, and as many of them as the load needs.
#pragma once

#include "optimux/pool/handler_worker.hpp"
#include "optimux/pool/thread_crew.hpp"

#include <chrono>
#include <concepts>
#include <system_error>

namespace optimux::pool {

/// A pool of workers for jobs of one type, which need only be movable. `Crew` says what a worker is: a thread
/// (`ThreadCrew`) or a coroutine (`CoroutineCrew`). All members may be called by any thread unless they say otherwise.
/// Deadlock rules: a worker must not wait in `submit` for a place in its own pool, nor for a job of its own pool to
/// end; and no worker, completion callback or observer may drain, join or destroy the pool.
template <class Job, template <class> class Crew = ThreadCrew>
class DynamicScaler {
 public:
  /// What makes the workers.
  using Factory = typename Crew<Job>::Factory;

  /// Checks `config`, makes the pool and starts the floor of workers. `factory` must not be empty. Fails with the name
  /// of the wrong field. That a worker cannot be created is no error here: it is tried again later.
  [[nodiscard]] static Made<std::unique_ptr<DynamicScaler>> make(Config config, Factory factory) {
    if (auto error = validate(config)) return *std::move(error);
    if (auto error = Crew<Job>::validate(config)) return *std::move(error);
    if (!factory) return ConfigError{"factory", "must be callable"};
    const Control control = config.control;
    std::unique_ptr<DynamicScaler> pool(new DynamicScaler(std::move(config), std::move(factory)));
    pool->step();
    if (control == Control::kByCaller || pool->start_control()) return pool;
    return ConfigError{"control", "no thread can be created for it"};
  }

  DynamicScaler(const DynamicScaler&) = delete;
  DynamicScaler& operator=(const DynamicScaler&) = delete;
  /// Stops, waits until every worker has left and every completion callback has returned. Not on a worker of this pool.
  ~DynamicScaler();

  /// Hands `job` over if there is a place. Does not wait. Unless the answer is `kAccepted`, `job` and `options` are
  /// left as they were. A job whose stop token has fired already needs no place: it is accepted and ends as
  /// `kCancelled`. Throws what the job's move throws, and std::bad_alloc; then no job has been accepted.
  Answer try_submit(Job&& job, JobOptions&& options = {}) {
    return answer(hand_off_.try_submit(std::move(job), std::move(options)));
  }
  /// As above, for a copy of `job`, which must be copyable.
  template <std::same_as<Job> Copied>
  Answer try_submit(const Copied& job, JobOptions&& options = {}) {
    return try_submit(Copied(job), std::move(options));
  }

  /// As `try_submit`, but waits for a place until `wait_until` or the job's own deadline, whichever is first; the
  /// answer is `kDeadline` then. Returns `kStopped` as soon as the pool drains or stops. The wait ends as well when the
  /// job's stop token fires: with `kAccepted`, and the job ends as `kCancelled`.
  Answer submit(Job&& job, JobOptions&& options = {}, TimePoint wait_until = kNever) {
    return answer(hand_off_.submit(std::move(job), std::move(options), wait_until));
  }
  /// As above, for a copy of `job`, which must be copyable.
  template <std::same_as<Job> Copied>
  Answer submit(const Copied& job, JobOptions&& options = {}, TimePoint wait_until = kNever) {
    return submit(Copied(job), std::move(options), wait_until);
  }

  /// Hands over as many of `jobs` as there are places for, in order, at the cost of about one submission. `options` is
  /// empty or as long as `jobs`. Does not wait. The jobs that were not accepted are left as they were. Should it throw
  /// (see `try_submit`), those before the one that could not be moved have been accepted.
  BatchAnswer submit_batch(std::span<Job> jobs, std::span<JobOptions> options = {}) {
    const auto [batch, admission] = hand_off_.submit_batch(jobs, options);
    hear(admission);
    return batch;
  }

  /// The pool at this moment. Takes some microseconds.
  [[nodiscard]] Snapshot snapshot() const { return supervisor_.snapshot(); }
  /// The latest decisions, oldest first.
  [[nodiscard]] std::vector<Decision> decisions() const { return supervisor_.decisions(); }
  /// The pool's name.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Changes floor, cap and queue capacity. Workers above a lower cap are asked to leave; until they have, `total` may
  /// be above it, but no worker is created. Jobs beyond a smaller capacity stay. Returns what is wrong, and changes
  /// nothing then. Policy and gate are not asked whether they suit the new limits, as `make` asks them: limits go
  /// before both, and lowering a cap must not fail.
  std::optional<ConfigError> set_limits(const Limits& limits) {
    if (auto error = supervisor_.set_limits(limits)) return error;
    hand_off_.set_capacity(limits.queue_capacity);
    poke();
    return std::nullopt;
  }

  /// Accepts nothing more and blocks until all accepted jobs have ended and been reported, or until `deadline`. Returns
  /// how many are left: 0 means drained. The workers stay; call it again, or `stop`.
  std::size_t drain(TimePoint deadline = kNever) {
    hand_off_.close();
    return hand_off_.wait_quiet(deadline);
  }

  /// Accepts and starts nothing more, ends what is queued as `kCancelled` and fires the stop tokens of all running
  /// jobs. Does not wait for them; may be called again.
  void stop() {
    supervisor_.stop();
    hand_off_.stop();
    poke();
  }

  /// One round of control; returns when the next is due. With `Control::kByCaller` nothing else keeps the pool going:
  /// deadlines, growth, shrinking and replacement happen here. Harmless otherwise.
  TimePoint step() {
    hand_off_.expire();
    hand_off_.hear_submits(hears_submits_);
    return hand_off_.plan_control(supervisor_.step());
  }

 private:
  // Submissions may ask for an early look, but no sooner than this after the last, or a busy pool would do nothing
  // else.
  static constexpr Duration kShortestPause = std::chrono::milliseconds(10);

  DynamicScaler(Config&& config, Factory factory);
  Answer answer(const Admission& admission) {
    hear(admission);
    return admission.answer;
  }
  void hear(const Admission& admission) {
    if (admission.is_urgent || admission.wants_growth) poke(admission.is_urgent);
  }
  bool start_control();
  void poke(bool is_urgent = true);
  void control_loop();
  void wait_for_round(TimePoint next);

  const std::string name_;
  const std::shared_ptr<Clock> clock_;
  const bool hears_submits_;
  typename Crew<Job>::Exchange hand_off_;
  Crew<Job> crew_;
  Supervisor supervisor_;

  Mutex control_mutex_;
  Condition control_wakes_;
  bool poked_ OPTIMUX_POOL_GUARDED_BY(control_mutex_) = false;
  bool growth_asked_ OPTIMUX_POOL_GUARDED_BY(control_mutex_) = false;
  bool leaving_ OPTIMUX_POOL_GUARDED_BY(control_mutex_) = false;
  std::thread control_;
};

template <class Job, template <class> class Crew>
DynamicScaler<Job, Crew>::DynamicScaler(Config&& config, Factory factory)
    : name_(config.name),
      clock_(config.clock),
      hears_submits_(config.policy->reacts_to_submits()),
      hand_off_(config.queue_capacity, *clock_),
      crew_(config, std::move(factory), hand_off_,
            {[this](WorkerIndex index) { supervisor_.worker_ready(index); },
             [this](WorkerIndex index, WorkerExit exit) {
               supervisor_.worker_exited(index, std::move(exit));
               poke();
             }}),
      supervisor_(config, crew_) {}

template <class Job, template <class> class Crew>
bool DynamicScaler<Job, Crew>::start_control() {
  try {
    control_ = std::thread([this] { control_loop(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

template <class Job, template <class> class Crew>
DynamicScaler<Job, Crew>::~DynamicScaler() {
  stop();
  hand_off_.wait_quiet(kNever);
  {
    const MutexLock lock(control_mutex_);
    leaving_ = true;
    control_wakes_.notify_all();
  }
  if (control_.joinable()) {
    control_.join();
  } else {
    while (supervisor_.total() > 0) wait_for_round(supervisor_.step());
  }
}

template <class Job, template <class> class Crew>
void DynamicScaler<Job, Crew>::poke(bool is_urgent) {
  const MutexLock lock(control_mutex_);
  (is_urgent ? poked_ : growth_asked_) = true;
  control_wakes_.notify_all();
}

template <class Job, template <class> class Crew>
void DynamicScaler<Job, Crew>::control_loop() {
  for (;;) {
    wait_for_round(step());
    const bool empty = supervisor_.total() == 0;
    const MutexLock lock(control_mutex_);
    if (leaving_ && empty) return;
  }
}

template <class Job, template <class> class Crew>
void DynamicScaler<Job, Crew>::wait_for_round(TimePoint next) {
  const TimePoint soon = clock_->now() + kShortestPause;
  const MutexLock lock(control_mutex_);
  while (!poked_ && !(leaving_ && supervisor_.total() == 0)) {
    const TimePoint until = growth_asked_ ? std::min(soon, next) : next;
    if (!clock_->wait_until(control_wakes_, control_mutex_, until)) break;
  }
  poked_ = growth_asked_ = false;
}

}  // namespace optimux::pool
