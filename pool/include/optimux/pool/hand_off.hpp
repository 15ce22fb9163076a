/// \file
/// How a job gets from a submitter to a worker.
///
/// One mutex guards the queue, a stack of parked workers and the counters. A submitter appends its job and, unless a
/// wake-up is already under way, takes the worker that parked last off the stack and wakes it. A worker that takes a
/// job and leaves others behind wakes the next one: **at most one wake-up is under way**, and it is handed on. So a
/// burst costs one system call and not one a job, and busy workers that come back for more find work without anybody
/// being woken for it. A job belongs to whoever reaches the queue first; a woken worker that finds it taken parks again
/// and never returns from `take` with nothing.
///
/// Invariant, whenever the mutex is free: if jobs wait and a worker is parked, a wake-up is under way (I8).
///
/// Ownership of a wake-up: whoever takes a worker off the stack, under the mutex, calls its parker exactly once, after
/// the mutex is free. The worker cannot leave before that, so its slot outlives the call.
#pragma once

#include "optimux/pool/histogram.hpp"
#include "optimux/pool/job_queue.hpp"
#include "optimux/pool/load.hpp"
#include "optimux/pool/sync.hpp"

#include <algorithm>
#include <span>
#include <stop_token>

namespace optimux::pool {

/// Why `HandOff::take` returned.
enum class Signal : std::uint8_t {
  kJob,     ///< There is a job to run.
  kRetire,  ///< The worker is asked to leave.
  kStop,    ///< The pool has been stopped.
  kParked,  ///< None yet; the worker's parker will be woken (`take_or_park` only).
};

/// What a worker reports about a job that it ran.
struct RunReport {
  Duration ran{};
  Duration cpu{};              ///< CPU time of the last `cpu_jobs` jobs of this worker.
  std::uint32_t cpu_jobs = 0;  ///< 0 when no reading was taken.
  Outcome outcome = Outcome::kDone;
};

/// The answer of a submission, and whether the control loop should hear of it.
struct Admission {
  Answer answer = Answer::kAccepted;
  bool is_urgent = false;     ///< The job's deadline comes before the next look of the control loop.
  bool wants_growth = false;  ///< It found nobody idle, the first since the control loop looked.
};

/// The queue, the parked workers, and the rules between them. All members may be called by any thread unless they say
/// otherwise; completion callbacks are called with the mutex free.
template <class Job, class Sync = StandardSync, class Protocol = StandardProtocol>
class HandOff {
 public:
  struct Cancellation;
  using Entry = QueuedJob<Job, Cancellation>;

  /// A worker's place in the hand-off. Between `attach` and `detach` it must stay where it is. Only `index`
  /// and the job's token are the worker's to read; the rest is guarded by the hand-off's mutex. It is its worker's
  /// parker: where the worker rests between `take_or_park` and the next look. Kept small: there may be 100,000 of them.
  class Slot : public Sync::Parker {
   public:
    explicit Slot(WorkerIndex worker) : index(worker) {}
    const WorkerIndex index;
    /// The token of the job that the worker runs: fires on cancellation of the job, on a nudge and on stop. For the
    /// worker itself, between `kJob` and `finish` (only it exchanges the source, so it reads without the mutex).
    [[nodiscard]] std::stop_token job_token() const { return job_stop_.get_token(); }
    /// When the job that the worker runs was started. For the worker itself.
    [[nodiscard]] TimePoint started_at() const { return started_at_; }

   private:
    friend class HandOff;
    std::stop_source worker_stop_{std::nostopstate};  // made when somebody asks for its token
    std::stop_source job_stop_{std::nostopstate};     // made for the first job
    RunReport report_;
    TimePoint started_at_{};
    TimePoint parked_since_{};
    Slot* below_ = nullptr;
    Slot* above_ = nullptr;
    std::uint32_t at_ = 0;
    bool nudged_ = false;
    bool job_stop_shared_ = false;  // somebody may fire job_stop_ later: it must not serve another job
    bool parked_ = false;
    bool woken_for_job_ = false;
    bool retire_asked_ = false;
    bool running_ = false;
    bool callback_running_ = false;
    bool report_pending_ = false;
  };

  /// A hand-off with room for `capacity` waiting jobs. `clock` must outlive it.
  HandOff(std::size_t capacity, Clock& clock) : clock_(clock), capacity_(capacity) {}
  HandOff(const HandOff&) = delete;
  HandOff& operator=(const HandOff&) = delete;
  ~HandOff() = default;

  /// Takes `job` and `options` over if there is a place; leaves both untouched otherwise. Does not wait.
  Admission try_submit(Job&& job, JobOptions&& options);

  /// As `try_submit`, but waits for a place until `wait_until` or the job's deadline.
  Admission submit(Job&& job, JobOptions&& options, TimePoint wait_until);

  /// Takes over as many of the jobs as there are places for, in order, under one lock and with at most one wake-up.
  /// `options[i]` belongs to `jobs[i]`; `options` is empty or as long as `jobs`. Does not wait.
  std::pair<BatchAnswer, Admission> submit_batch(std::span<Job> jobs, std::span<JobOptions> options);

  /// Makes `slot` known. It is then fired on `stop`, even if it never waits.
  void attach(Slot& slot);
  /// Forgets `slot`, whose worker runs no job and is not parked.
  void detach(Slot& slot);

  /// Ends the bookkeeping of the worker's last job, then looks once, at {stop > retire > job}. `kJob` fills `entry`.
  /// With `kParked` the worker is on the stack: it must wait for its parker and look again. Does not block.
  Signal take_or_park(Slot& slot, Entry& entry, TimePoint now);

  /// Blocks until there is a stop, a retirement or a job for this worker.
  Signal take(Slot& slot, Entry& entry) {
    for (;;) {
      const Signal signal = take_or_park(slot, entry, clock_.now());
      if (signal != Signal::kParked) return signal;
      slot.wait();
    }
  }

  /// The token that fires when `slot`'s worker is nudged and when the pool stops.
  [[nodiscard]] std::stop_token worker_token(Slot& slot);

  /// The job in `entry` has been run by `slot` and is at its end: destroys the job, counts it, tells its submitter.
  void finish(Slot& slot, Entry& entry, const RunReport& report, JobEnd&& end) noexcept;

  /// Asks one worker to leave. If it is parked it leaves at once, else when it looks next.
  void ask_retire(Slot& slot);
  /// Fires the worker's stop token and that of the job it runs.
  void nudge(Slot& slot);

  /// Accepts nothing more. What is queued will still be run.
  void close();
  /// Blocks until nothing is queued, being run or being reported, or until `deadline`. Returns how many jobs are left.
  std::size_t wait_quiet(TimePoint deadline);
  /// Accepts and starts nothing more, ends what is queued as `kCancelled`, fires the tokens of all workers and jobs.
  void stop();
  /// True once `stop` has been called.
  [[nodiscard]] bool stopped() const {
    const ScopedLock lock(mutex_);
    return phase_ == Phase::kStopped;
  }
  /// Ends what is queued and past its deadline.
  void expire();
  /// Changes the number of places. Jobs beyond a smaller number stay.
  void set_capacity(std::size_t capacity);

  /// The figures of this moment. A job that has been running for longer than `overrun_after` overruns. Takes some
  /// microseconds, and looks at every worker.
  [[nodiscard]] Load load(TimePoint now, Duration overrun_after = Duration::max()) const;
  /// Lets the oldest part of the wait and service times be forgotten.
  void rotate_quantiles();
  /// The control loop will look by itself at `next`. It wants to hear, once, of a job that found nobody idle if
  /// `hears_submits`.
  void plan_control(TimePoint next, bool hears_submits);

 private:
  enum class Phase : std::uint8_t { kOpen, kDraining, kStopped };
  enum class CancelState : std::uint8_t { kFresh, kQueued, kRunning, kEnded };
  struct OnCancel {
    HandOff* hand_off;
    Cancellation* cancellation;
    void operator()() const noexcept { hand_off->cancel(*cancellation); }
  };
  struct Ending {
    Entry entry;
    JobEnd end;
  };
  using Endings = std::vector<Ending>;

 public:
  /// What the hand-off remembers about the stop token of one job.
  struct Cancellation {
    explicit Cancellation(std::stop_token job_token) : token(std::move(job_token)) {}
    std::stop_token token;
    CancelState state = CancelState::kFresh;
    bool requested = false;  // fired before the job was queued
    std::uint32_t place = 0;
    Slot* runner = nullptr;
    std::optional<typename Sync::template StopCallback<OnCancel>> callback;
  };

 private:
  std::unique_ptr<Cancellation> watch(const std::stop_token& token);
  Admission admit(Job& job, JobOptions& options, std::unique_ptr<Cancellation>& cancellation, TimePoint now,
                  Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  void enqueue(Entry&& entry, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  Admission accept(TimePoint deadline) OPTIMUX_POOL_REQUIRES(mutex_);
  Answer count_answer(Answer answer) OPTIMUX_POOL_REQUIRES(mutex_);
  void cancel(Cancellation& cancellation) noexcept;

  Signal look(Slot& slot, Entry& entry, TimePoint now, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  bool pop_runnable(Slot& slot, Entry& entry, TimePoint now, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  void start(Slot& slot, Entry& entry, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void settle(Slot& slot) OPTIMUX_POOL_REQUIRES(mutex_);
  void record(Slot& slot, const RunReport& report) OPTIMUX_POOL_REQUIRES(mutex_);
  void count_end(Outcome outcome) OPTIMUX_POOL_REQUIRES(mutex_);
  void push_ending(Endings& endings, Entry&& entry, Outcome outcome, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void drop_expired(TimePoint now, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  void report(Endings& endings) noexcept OPTIMUX_POOL_EXCLUDES(mutex_);

  void park(Slot& slot, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void unpark(Slot& slot) OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] Slot* keep_progress() OPTIMUX_POOL_REQUIRES(mutex_);
  void place_freed() OPTIMUX_POOL_REQUIRES(mutex_) {
    if (submitters_waiting_ > 0) places_.notify_one();
  }
  [[nodiscard]] bool quiet() const OPTIMUX_POOL_REQUIRES(mutex_) {
    return queue_.empty() && in_flight_ == 0 && reporting_ == 0;
  }
  void notify_if_quiet() OPTIMUX_POOL_REQUIRES(mutex_) {
    if (phase_ != Phase::kOpen && quiet()) quiet_.notify_all();
  }
  static void wake(Slot* slot) {
    if (slot != nullptr) slot->wake();
  }

  Clock& clock_;
  mutable typename Sync::Mutex mutex_;
  typename Sync::Condition places_;
  typename Sync::Condition quiet_;

  Phase phase_ OPTIMUX_POOL_GUARDED_BY(mutex_) = Phase::kOpen;
  std::size_t capacity_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  JobQueue<Entry> queue_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  std::vector<Slot*> slots_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  Slot* parked_top_ OPTIMUX_POOL_GUARDED_BY(mutex_) = nullptr;
  Slot* parked_bottom_ OPTIMUX_POOL_GUARDED_BY(mutex_) = nullptr;
  int parked_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;
  bool wake_under_way_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;
  int retirements_for_anybody_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;  // only without kRetiresTheAsked
  int submitters_waiting_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;

  int in_flight_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;
  std::uint64_t started_at_sum_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;  // of the jobs in flight; wraps, see load()
  std::size_t reporting_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;         // completion callbacks being run
  TimePoint control_looks_at_ OPTIMUX_POOL_GUARDED_BY(mutex_) = kNever;
  bool hears_submits_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;

  Load totals_ OPTIMUX_POOL_GUARDED_BY(mutex_);  // only its running totals and counters are kept here
  RecentHistogram wait_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  RecentHistogram service_ OPTIMUX_POOL_GUARDED_BY(mutex_);
};

}  // namespace optimux::pool

#include "optimux/pool/detail/hand_off_control.ipp"
#include "optimux/pool/detail/hand_off_submit.ipp"
#include "optimux/pool/detail/hand_off_worker.ipp"
