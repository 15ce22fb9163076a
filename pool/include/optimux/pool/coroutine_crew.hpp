/// \file
/// Workers that are coroutines on an event loop.
#pragma once

#include "optimux/pool/coroutine_context.hpp"
#include "optimux/pool/detail/worker_table.hpp"
#include "optimux/pool/dynamic_scaler.hpp"

namespace optimux::pool {

/// What makes coroutine workers: get one from `coroutine_worker` or `coroutine_body`.
template <class Job>
struct CoroutineFactory {
  /// A worker.
  using Context = CoroutineContext<Job>;
  /// Where the workers live. It must outlive the pool, and a wait of a worker should end when the loop stops.
  EventLoop* loop = nullptr;
  /// Runs one job, which it takes out of the entry; lets the worker look for the next when it has ended. Throws only
  /// before that.
  std::function<void(Context&, typename Context::Entry&)> run_job = nullptr;
  /// The whole life of a worker.
  std::function<Task<>(Context&)> body = nullptr;
  /// True when workers can be made of it.
  explicit operator bool() const { return loop != nullptr && (run_job || body); }
};

/// Spreads its workers over the threads of an event loop. The supervisor steers it as a `Workforce`. An idle worker
/// is a `CoroutineContext` and has no frame, unless it has a body of its own; with a job, it is a coroutine.
template <class Job>
class CoroutineCrew final : public Workforce {
 public:
  /// The queue that the workers take from.
  using Exchange = CoroutineHandOff<Job>;
  /// What makes the workers.
  using Factory = CoroutineFactory<Job>;
  /// A worker.
  using Context = CoroutineContext<Job>;

  /// What is wrong with `config` for workers of this kind; empty when nothing is.
  [[nodiscard]] static std::optional<ConfigError> validate(const Config& config) {
    if (!config.on_thread_start) return std::nullopt;
    return ConfigError{"on_thread_start", "is for workers that are threads; set it on the event loop"};
  }

  /// `config`'s clock and `hand_off` must outlive the crew.
  CoroutineCrew(const Config& config, Factory factory, Exchange& hand_off, CrewEvents events)
      : clock_(config.clock),
        factory_(std::move(factory)),
        hand_off_(hand_off),
        events_(std::move(events)),
        cpu_times_(static_cast<std::size_t>(factory_.loop->threads())) {}

  [[nodiscard]] Load load(TimePoint now, Duration overrun_after) const override {
    return hand_off_.load(now, overrun_after);
  }
  void rotate_quantiles() override { hand_off_.rotate_quantiles(); }
  void ask_retire(WorkerIndex index) override {
    if (Context* worker = find(index)) hand_off_.ask_retire(*worker);
  }
  void nudge(WorkerIndex index) override {
    if (Context* worker = find(index)) hand_off_.nudge(*worker);
  }
  void start(WorkerIndex index) override;
  void join(WorkerIndex index) override;

  /// The pool's clock.
  [[nodiscard]] Clock& clock() const { return *clock_; }
  /// Where the workers live.
  [[nodiscard]] EventLoop& loop() const { return *factory_.loop; }
  /// `worker`'s job has ended and so has what ran it: it looks for the next. Any thread; nothing of `worker` may be
  /// used afterwards. `has_waited` if the job was begun in an earlier turn of the worker's loop thread, which is the
  /// calling one: then the next is begun at once. Others go by way of the loop's queue: jobs that wait for nothing must
  /// not stand on top of each other, nor keep the loop from its timers.
  static void job_ended(Context& worker, bool has_waited) {
    if (has_waited) return look_for_job(worker, worker.crew_.end_of_job(worker));
    worker.look_again(&CoroutineCrew::next_job);
  }

 private:
  friend Context;
  struct alignas(64) CpuTime {
    detail::ThreadCpuTime reading;
    bool started = false;
    TimePoint ended_at{};  // the latest job, if nothing has been done since but to leave it
  };

  Context* find(WorkerIndex index) {
    const MutexLock lock(mutex_);
    return workers_.find(index);
  }
  [[nodiscard]] std::size_t thread_of(WorkerIndex index) const {
    return static_cast<std::size_t>(index) % cpu_times_.size();
  }
  void begin(Context& worker);
  static void next_job(detail::Posted& posted) {
    Context& worker = Context::from(posted);
    look_for_job(worker, worker.clock().now());
  }
  static void look_for_job(Context& worker, TimePoint now);
  void run_job(Context& worker, typename Context::Entry& entry);
  detail::Detached live(Context& worker, Task<> body);
  void leave(Context& worker, const WorkerExit& exit);
  [[nodiscard]] WorkerExit exit_of(const Context& worker) const;
  void worker_ready(Context& worker);
  void note_end(const Context& worker, TimePoint now) {
    if (worker.is_home()) cpu_times_[thread_of(worker.index())].ended_at = now;
  }
  // One look at the clock does for the end of a job and the start of the next.
  [[nodiscard]] TimePoint end_of_job(const Context& worker) const {
    const TimePoint ended_at = cpu_times_[thread_of(worker.index())].ended_at;
    return ended_at != TimePoint{} ? ended_at : clock_->now();
  }
  RunReport make_report(Context& worker, Outcome outcome, Duration ran, TimePoint now);

  const std::shared_ptr<Clock> clock_;
  const Factory factory_;
  Exchange& hand_off_;
  const CrewEvents events_;
  std::vector<CpuTime> cpu_times_;  // each for its loop thread alone

  Mutex mutex_;
  Condition somebody_gone_;
  detail::WorkerTable<Context> workers_ OPTIMUX_POOL_GUARDED_BY(mutex_);
};

/// A pool whose workers are coroutines.
template <class Job>
using CoroutineScaler = DynamicScaler<Job, CoroutineCrew>;

template <class Job>
void CoroutineCrew<Job>::start(WorkerIndex index) {
  auto made = std::make_unique<Context>(*this, index, loop().thread(thread_of(index)));
  Context& worker = *made;
  {
    const MutexLock lock(mutex_);
    workers_.insert(std::move(made));
  }
  hand_off_.attach(worker);
  try {
    begin(worker);
  } catch (...) {
    hand_off_.detach(worker);
    const MutexLock lock(mutex_);
    workers_.remove(index);
    throw;
  }
}

template <class Job>
void CoroutineCrew<Job>::begin(Context& worker) {
  if (factory_.body) {
    Task<> body = factory_.body(worker);
    if (!body) throw std::invalid_argument("the factory made a worker without a body");
    live(worker, std::move(body));
  } else {
    loop().hold();
    worker.look_again(&CoroutineCrew::next_job);
  }
}

template <class Job>
void CoroutineCrew<Job>::join(WorkerIndex index) {
  std::unique_ptr<Context> worker;
  const MutexLock lock(mutex_);
  const Context* const leaving = workers_.find(index);
  if (leaving == nullptr) return;
  while (!leaving->gone_) somebody_gone_.wait(mutex_);
  worker = workers_.remove(index);
}

template <class Job>
void CoroutineCrew<Job>::look_for_job(Context& worker, TimePoint now) {
  CoroutineCrew& crew = worker.crew_;
  typename Context::Entry entry = nullptr;
  switch (worker.look(entry, now)) {
    case Signal::kParked: return;
    case Signal::kJob: return crew.run_job(worker, entry);
    case Signal::kRetire:
    case Signal::kStop: return crew.leave(worker, crew.exit_of(worker));
  }
}

template <class Job>
void CoroutineCrew<Job>::run_job(Context& worker, typename Context::Entry& entry) {
  try {
    return factory_.run_job(worker, entry);
  } catch (...) {  // no memory for its frame
    CoroutineLease<Job> lease(worker, std::exchange(entry, nullptr));
    lease.fail(std::current_exception());
  }
  job_ended(worker, false);
}

template <class Job>
detail::Detached CoroutineCrew<Job>::live(Context& worker, Task<> body) {
  loop().hold();
  detail::LoopThread& thread = *worker.thread;
  // The check takes the parameter's own move into the coroutine's frame for an earlier one.
  co_await detail::Hop(thread);  // NOLINT(bugprone-use-after-move)
  WorkerExit exit;
  {
    const Task<> own = std::move(body);  // what the worker holds goes before its slot does
    try {
      co_await own;
      exit = exit_of(worker);
    } catch (const std::exception& error) {
      exit = {ExitKind::kThrew, error.what()};
    } catch (...) {
      exit = {ExitKind::kThrew, "unknown error"};
    }
  }
  if (!thread.is_current()) co_await detail::Hop(thread);
  leave(worker, exit);
}

template <class Job>
WorkerExit CoroutineCrew<Job>::exit_of(const Context& worker) const {
  if (worker.last_signal() == Signal::kRetire) return {ExitKind::kRetired, ""};
  return {hand_off_.stopped() ? ExitKind::kStopped : ExitKind::kReturned, ""};
}

// On the worker's loop thread. Once `gone_` is set the pool may go, and the loop when this thread comes back to it.
template <class Job>
void CoroutineCrew<Job>::leave(Context& worker, const WorkerExit& exit) {
  EventLoop& loop = this->loop();
  hand_off_.detach(worker);
  events_.exited(worker.index(), exit);
  {
    const MutexLock lock(mutex_);
    worker.gone_ = true;
    somebody_gone_.notify_all();
  }
  loop.release();
}

template <class Job>
void CoroutineCrew<Job>::worker_ready(Context& worker) {
  CpuTime& cpu = cpu_times_[thread_of(worker.index())];
  if (!std::exchange(cpu.started, true)) cpu.reading.start(clock_->now());
  events_.ready(worker.index());
}

// The CPU time of a loop thread is shared among the jobs that end on it, whoever used it.
template <class Job>
RunReport CoroutineCrew<Job>::make_report(Context& worker, Outcome outcome, Duration ran, TimePoint now) {
  RunReport report{ran, ran, Duration::zero(), 0, outcome};
  if (worker.thread->is_current())
    cpu_times_[thread_of(worker.index())].reading.job_ended(now, report.cpu, report.cpu_jobs);
  return report;
}

}  // namespace optimux::pool
