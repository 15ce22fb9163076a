/// \file
/// How a job gets from a submitter to a worker.
///
/// Two mutexes, one for each side. A submitter appends its job to the **intake** under the intake's mutex. The workers
/// share everything else, under the other: the queue, a stack of parked workers and the counters. A worker that finds
/// the queue empty fetches the whole intake at once, so that neither side touches the other's mutex for each job.
/// Where a job needs more than a place in the line (a deadline, a stop token, a place in a full queue) its submitter
/// takes both. Order: `mutex_` before `intake_mutex_`.
///
/// Parked workers are woken one at a time. The one that parked last is taken off the stack and woken; a worker that
/// takes a job and leaves others behind wakes the next one: **at most one wake-up is under way**, and it is handed on.
/// So a burst costs one system call and not one a job, and busy workers that come back for more find work without
/// anybody being woken for it. A job belongs to whoever reaches the queue first; a woken worker that finds it taken
/// parks again and never returns from `take` with nothing.
///
/// Invariant, whenever both mutexes are free: if jobs wait and a worker is parked, a wake-up is under way, or the
/// submitter that found the intake **hungry** is on its way to start one (I8). The intake is made hungry in the same
/// step that finds it empty.
///
/// Ownership of a wake-up: whoever takes a worker off the stack, under the mutex, calls its parker exactly once, after
/// the mutex is free. The worker cannot leave before that, so its slot outlives the call.
///
/// A job starts when it leaves the queue for a worker, under the mutex that `stop` takes as well: each job is either
/// started before a stop or ended by it. A job that was started before may reach its handler only after `stop` has
/// returned; its token has fired by then (I7).
#pragma once

#include "optimux/pool/histogram.hpp"
#include "optimux/pool/job_queue.hpp"
#include "optimux/pool/load.hpp"
#include "optimux/pool/sync.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
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
  Duration ran{};              ///< From start to end.
  Duration occupied{};         ///< How long it kept its worker: less than `ran` for all but the first job of a batch.
  Duration cpu{};              ///< CPU time of the last `cpu_jobs` jobs of this worker.
  std::uint32_t cpu_jobs = 0;  ///< 0 when no reading was taken.
  /// How the job ended.
  Outcome outcome = Outcome::kDone;
};

/// The answer of a submission, and whether the control loop should hear of it.
struct Admission {
  /// What the submitter is told.
  Answer answer = Answer::kAccepted;
  bool is_urgent = false;     ///< The job's deadline comes before the next look of the control loop.
  bool wants_growth = false;  ///< It found nobody idle, the first since the control loop looked.
};

/// The queue, the parked workers, and the rules between them. All members may be called by any thread unless they say
/// otherwise; completion callbacks are called with both mutexes free.
template <class Job, class Sync = StandardSync, class Protocol = StandardProtocol>
class HandOff {
 public:
  struct Cancellation;
  /// A job from its acceptance to its end, with what its submitter said about it.
  /// In the order of who touches what: the first lines are the submitter's and the worker's, the rest the worker's, so
  /// that no more memory than needed changes hands. In a free node everything is as it is here.
  struct Record {
    bool finished = false;  ///< Its worker has let go of it; `report` says how.
    /// When it became the pool's.
    TimePoint accepted_at{};
    /// Told how it ended; may be empty.
    OnEnd on_end;
    /// The job itself; empty once it has ended.
    std::optional<Job> job;
    /// After which it is not started.
    TimePoint deadline = kNever;
    /// Null for a job without a stop token.
    std::unique_ptr<Cancellation> cancellation;
    /// When it left the queue for a worker.
    TimePoint started_at{};
    /// What its worker says, once it is `finished`.
    RunReport report;
  };
  /// A record and its place in a list.
  using Node = JobNode<Record>;
  /// A job in the hands of a worker. The hand-off owns it.
  using Entry = Node*;

  /// A worker's place in the hand-off. Between `attach` and `detach` it must stay where it is. Only `index` is
  /// the worker's to read; the rest is guarded by the hand-off's mutex. It is its worker's parker: where the worker
  /// rests between `take_or_park` and the next look. Kept small: there may be 100,000 of them.
  class Slot : public Sync::Parker {
   public:
    /// The place of the worker with this number; not attached yet.
    explicit Slot(WorkerIndex worker) : index(worker) {}
    /// The worker's number.
    const WorkerIndex index;

   private:
    friend class HandOff;
    std::stop_source worker_stop_{std::nostopstate};  // made when somebody asks for its token
    std::stop_source job_stop_{std::nostopstate};     // as well; of jobs without a token of their own
    TimePoint since_{};                               // when it last began to be busy, or to be parked
    Slot* below_ = nullptr;
    Slot* above_ = nullptr;
    JobList<Node> held_;        // taken, and not yet counted as ended. Only its worker changes it, with the mutex
    Node* reported_ = nullptr;  // ended and told, linked by `next`; for the worker alone
    std::uint32_t at_ = 0;
    bool nudged_ = false;
    bool parked_ = false;
    bool woken_for_job_ = false;
    bool retire_asked_ = false;
    bool callback_running_ = false;
  };

  /// A hand-off with room for `capacity` waiting jobs. `clock` must outlive it.
  HandOff(std::size_t capacity, Clock& clock) : clock_(clock), capacity_(capacity) { intake_.capacity = capacity; }
  HandOff(const HandOff&) = delete;
  HandOff& operator=(const HandOff&) = delete;
  ~HandOff() = default;

  /// Takes `job` and `options` over if there is a place; leaves both untouched otherwise. Does not wait.
  Admission try_submit(Job&& job, JobOptions&& options);

  /// As `try_submit`, but waits for a place until `wait_until` or the job's deadline, or until its stop token fires.
  Admission submit(Job&& job, JobOptions&& options, TimePoint wait_until);

  /// Takes over as many of the jobs as there are places for, in order, with at most one wake-up. Jobs without deadline
  /// and stop token go in under one lock. `options[i]` belongs to `jobs[i]`; `options` is empty or as long as `jobs`.
  /// Does not wait.
  std::pair<BatchAnswer, Admission> submit_batch(std::span<Job> jobs, std::span<JobOptions> options);

  /// Makes `slot` known. It is then fired on `stop`, even if it never waits.
  void attach(Slot& slot);
  /// Forgets `slot`, whose worker runs no job and is not parked.
  void detach(Slot& slot);

  /// Ends the bookkeeping of the worker's last jobs, then looks once, at {stop > retire > job}. With `kJob` up to
  /// `most` jobs (at least 1) have been started: `first` is one, the others follow it by `next`; where workers are idle
  /// it leaves them their share. With `kParked` the worker is on the stack: it must wait for its parker and look again.
  /// `first` is null unless the answer is `kJob`. Does not block.
  Signal take_or_park(Slot& slot, Entry& first, TimePoint now, std::size_t most = 1);

  /// Blocks until there is a stop, a retirement or a job for this worker. `now` is the time of the first look.
  Signal take(Slot& slot, Entry& first, TimePoint now, std::size_t most = 1) {
    for (;; now = clock_.now()) {
      const Signal signal = take_or_park(slot, first, now, most);
      if (signal != Signal::kParked) return signal;
      slot.wait();
    }
  }

  /// The token that fires when `slot`'s worker is nudged and when the pool stops.
  [[nodiscard]] std::stop_token worker_token(Slot& slot);
  /// The token of a job that `slot`'s worker runs: fires on cancellation of the job, on a nudge and on stop.
  [[nodiscard]] std::stop_token job_token(Slot& slot, const Record& record) {
    return record.cancellation ? record.cancellation->running.get_token() : token_of(slot, slot.job_stop_);
  }

  /// The job in `entry` has been run by `slot` and is at its end: destroys the job, counts it, tells its submitter. The
  /// entry is no longer the caller's. Returns true if somebody was told.
  bool finish(Slot& slot, Entry entry, const RunReport& report, JobEnd&& end) noexcept;

  /// Asks one worker to leave. If it is parked it leaves at once, else when it looks next.
  void ask_retire(Slot& slot);
  /// Fires the worker's stop token and those of the jobs it runs.
  void nudge(Slot& slot);

  /// Accepts nothing more. What is queued will still be run.
  void close();
  /// After `close` or `stop`: blocks until nothing is queued, being run or being reported, or until `deadline`. Returns
  /// how many jobs are left.
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
  /// The control loop is about to look at the load. If `wanted`, it wants to hear, once, of a job that finds nobody
  /// idle from now on: said before it looks, so that no job comes between the two unheard.
  void hear_submits(bool wanted);
  /// The control loop has looked and wants to do so again at `next`; returns when it must: sooner if a job has come in
  /// whose deadline is before that.
  [[nodiscard]] TimePoint plan_control(TimePoint next);

 private:
  enum class Phase : std::uint8_t { kOpen, kDraining, kStopped };
  enum class CancelState : std::uint8_t { kFresh, kQueued, kRunning, kEnded };
  struct OnCancel {
    HandOff* hand_off;
    Cancellation* cancellation;
    void operator()() const noexcept { hand_off->cancel(*cancellation); }
  };
  struct Ending {
    Node* node;
    JobEnd end;
  };
  using Endings = std::vector<Ending>;
  /// Who is to be woken once the mutex is free.
  struct Wakes {
    Slot* worker = nullptr;
    bool submitter = false;
  };

  /// The submitters' side.
  struct Intake {
    JobList<Node> jobs;  // without deadlines and stop tokens
    JobStore<Node> store;
    std::size_t capacity = 0;
    std::size_t occupied = 0;  // places: at least the jobs that wait, here and in the queue
    bool open = true;
    bool hungry = false;  // whoever puts a job in wakes a worker
    bool hears_submits = false;
    std::uint64_t accepted = 0;
    std::uint64_t found_nobody_idle = 0;
    std::uint64_t refused_full = 0;
    std::uint64_t refused_stopped = 0;
    std::uint64_t refused_deadline = 0;
  };

 public:
  /// What the hand-off remembers about the stop token of one job.
  struct Cancellation {
    /// Of a job with the token `job_token`; nothing is watched yet.
    explicit Cancellation(std::stop_token job_token) : token(std::move(job_token)) {}
    /// The submitter's.
    std::stop_token token;
    /// What its worker sees.
    std::stop_source running;
    /// Where the job is.
    CancelState state = CancelState::kFresh;
    /// Fired before the job was queued.
    bool requested = false;
    /// The job, while it is queued.
    Node* node = nullptr;
    /// Watches `token`.
    std::optional<typename Sync::template StopCallback<OnCancel>> callback;
  };

 private:
  // A waiting submitter is woken when so much time's worth of places is free, so that it does not sleep and wake for
  // each of them. About what waking a thread costs.
  static constexpr Duration kWorthWaking = std::chrono::microseconds(50);
  // But where the jobs that wait last longer it is a sixteenth of their time, up to this: a job that comes in later by
  // so little still comes in long before its turn.
  static constexpr Duration kWorthWakingAtMost = std::chrono::microseconds(400);
  static constexpr std::size_t kShareWorthWaking = 16;
  // If it has not been woken by then it is woken for the next place.
  static constexpr Duration kPatience = std::chrono::milliseconds(1);

  std::unique_ptr<Cancellation> watch(const std::stop_token& token);
  static bool is_plain(const JobOptions& options) {
    return options.deadline == kNever && !options.stop.stop_possible();
  }
  std::optional<Admission> submit_plain(Job& job, OnEnd& on_end, TimePoint now);
  Admission submit_plain(std::span<Job> jobs, std::span<JobOptions> options, TimePoint now, BatchAnswer& answer);
  void put_all_in(std::span<Job> jobs, std::span<JobOptions> options, TimePoint now, BatchAnswer& answer,
                  Admission& sum) OPTIMUX_POOL_REQUIRES(intake_mutex_);
  bool put_in(Job& job, OnEnd& on_end, TimePoint now, Admission& admission) OPTIMUX_POOL_REQUIRES(intake_mutex_);
  bool note_accepted() OPTIMUX_POOL_REQUIRES(intake_mutex_);
  void feed() OPTIMUX_POOL_EXCLUDES(mutex_, intake_mutex_);
  Admission admit(Job& job, JobOptions& options, std::unique_ptr<Cancellation>& cancellation, TimePoint now,
                  Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  Admission admit_one(Job& job, JobOptions& options, std::unique_ptr<Cancellation>& cancellation, TimePoint now)
      OPTIMUX_POOL_EXCLUDES(mutex_, intake_mutex_);
  template <class Admit>
  void admit_and_wake(Admit&& admit) OPTIMUX_POOL_EXCLUDES(mutex_, intake_mutex_);
  Node* take_over(Job& job) OPTIMUX_POOL_REQUIRES(intake_mutex_);
  Node* claim_place(Job& job, bool is_cancelled, TimePoint now, Admission& admission, Endings& endings)
      OPTIMUX_POOL_REQUIRES(mutex_);
  void enqueue(Node* node, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  void count_refusal(Answer answer) OPTIMUX_POOL_EXCLUDES(intake_mutex_);
  bool wait_for_place(TimePoint until, const Cancellation* cancellation, bool& is_patient)
      OPTIMUX_POOL_EXCLUDES(mutex_, intake_mutex_);
  void pass_places_on() OPTIMUX_POOL_EXCLUDES(mutex_, intake_mutex_);
  void cancel(Cancellation& cancellation) noexcept;

  void pour() OPTIMUX_POOL_REQUIRES(mutex_, intake_mutex_);
  void fetch_intake() OPTIMUX_POOL_REQUIRES(mutex_);
  bool fetch_or_hunger() OPTIMUX_POOL_REQUIRES(mutex_);
  void close_intake() OPTIMUX_POOL_REQUIRES(mutex_);
  void add_intake(Load& load) const OPTIMUX_POOL_REQUIRES(mutex_);
  std::stop_token token_of(const Slot& slot, std::stop_source& source);
  void collect_tokens(const Slot& slot, std::vector<std::stop_source>& tokens) const OPTIMUX_POOL_REQUIRES(mutex_);

  Signal look(Slot& slot, Entry& first, TimePoint now, std::size_t most, Endings& endings)
      OPTIMUX_POOL_REQUIRES(mutex_);
  Node* pop_runnable(Slot& slot, TimePoint now, std::size_t most, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] std::size_t fair_share(std::size_t most) const OPTIMUX_POOL_REQUIRES(mutex_);
  void start(Slot& slot, Node* node, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void settle(Slot& slot) OPTIMUX_POOL_REQUIRES(mutex_);
  void record(Slot& slot, Node* node) OPTIMUX_POOL_REQUIRES(mutex_);
  void count_end(Outcome outcome) OPTIMUX_POOL_REQUIRES(mutex_);
  void push_ending(Endings& endings, Node* node, Outcome outcome, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void drop_expired(TimePoint now, Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_);
  void report(Endings& endings) noexcept OPTIMUX_POOL_EXCLUDES(mutex_);

  void park(Slot& slot, TimePoint now) OPTIMUX_POOL_REQUIRES(mutex_);
  void unpark(Slot& slot) OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] Slot* next_to_wake() OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] Wakes keep_progress() OPTIMUX_POOL_REQUIRES(mutex_) {
    tell_submitters();  // first: it may bring jobs into the queue
    return {next_to_wake(), std::exchange(tell_submitter_, false)};
  }
  void tell_submitters() OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] bool is_worth_waking(std::size_t places) const OPTIMUX_POOL_REQUIRES(mutex_);
  [[nodiscard]] bool quiet() const OPTIMUX_POOL_REQUIRES(mutex_) {
    return queue_.empty() && in_flight_ == 0 && reporting_ == 0;
  }
  void notify_if_quiet() OPTIMUX_POOL_REQUIRES(mutex_) {
    if (phase_ != Phase::kOpen && quiet()) quiet_.notify_all();
  }
  [[nodiscard]] int parked() const { return parked_.load(std::memory_order_relaxed); }
  void wake(const Wakes& wakes) {
    if (wakes.worker != nullptr) wakes.worker->wake();
    if (wakes.submitter) places_.notify_one();
  }

  Clock& clock_;

  alignas(64) mutable typename Sync::Mutex intake_mutex_;
  Intake intake_ OPTIMUX_POOL_GUARDED_BY(intake_mutex_);

  alignas(64) mutable typename Sync::Mutex mutex_;
  Phase phase_ OPTIMUX_POOL_GUARDED_BY(mutex_) = Phase::kOpen;
  bool wake_under_way_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;
  bool told_hungry_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;         // nobody has come since the intake was made hungry
  int retirements_for_anybody_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;  // only without kRetiresTheAsked
  JobQueue<Node> queue_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  JobList<Node> spare_ OPTIMUX_POOL_GUARDED_BY(mutex_);  // on the way back to the intake's store
  Slot* parked_top_ OPTIMUX_POOL_GUARDED_BY(mutex_) = nullptr;
  Slot* parked_bottom_ OPTIMUX_POOL_GUARDED_BY(mutex_) = nullptr;

  int in_flight_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;                 // workers that hold a job
  std::uint64_t started_at_sum_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;  // of these; wraps, see load()
  std::size_t reporting_ OPTIMUX_POOL_GUARDED_BY(mutex_) = 0;         // completion callbacks being run

  std::size_t capacity_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  bool tell_submitter_ OPTIMUX_POOL_GUARDED_BY(mutex_) = false;   // once the mutex is free
  Duration pace_ OPTIMUX_POOL_GUARDED_BY(mutex_) = kWorthWaking;  // between the starts of jobs, of late
  TimePoint last_start_ OPTIMUX_POOL_GUARDED_BY(mutex_){};

  Load totals_ OPTIMUX_POOL_GUARDED_BY(mutex_);  // only its running totals and counters are kept here
  RecentHistogram wait_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  RecentHistogram service_ OPTIMUX_POOL_GUARDED_BY(mutex_);

  TimePoint control_looks_at_ OPTIMUX_POOL_GUARDED_BY(mutex_) = kNever;
  std::vector<Slot*> slots_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  typename Sync::Condition places_;
  typename Sync::Condition quiet_;

  // Read by the side that has not the mutex to write them.
  alignas(64) std::atomic<int> parked_{0};              // written with mutex_
  alignas(64) std::atomic<int> submitters_waiting_{0};  // written with intake_mutex_, from 0 with both; so are these
  std::atomic<int> impatient_{0};                       // of the waiting ones, those to be woken for every place
  std::atomic<bool> submitter_woken_{false};            // and has not looked yet
};

}  // namespace optimux::pool

#include "optimux/pool/detail/hand_off_control.ipp"
#include "optimux/pool/detail/hand_off_submit.ipp"
#include "optimux/pool/detail/hand_off_worker.ipp"
