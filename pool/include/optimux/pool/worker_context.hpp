/// \file
/// What the body of a worker works with: where it waits for jobs, and the job that it holds.
#pragma once

#include "optimux/pool/detail/thread_cpu_time.hpp"
#include "optimux/pool/hand_off.hpp"

#include <functional>

namespace optimux::pool {

template <class Job, class Context>
class BasicLease;
template <class Job>
class WorkerContext;

/// What `WorkerContext::take` gives out.
template <class Job>
using Lease = BasicLease<Job, WorkerContext<Job>>;

/// Given to a worker's body. For that worker alone, for as long as the body runs.
template <class Job>
class WorkerContext {
 public:
  using Slot = typename HandOff<Job>::Slot;
  using Entry = typename HandOff<Job>::Entry;

  /// Made by the pool. `on_ready` is called at the first `take`.
  WorkerContext(HandOff<Job>& hand_off, Slot& slot, Clock& clock, UniqueFunction<void()> on_ready)
      : hand_off_(hand_off), slot_(slot), clock_(clock), on_ready_(std::move(on_ready)) {}
  WorkerContext(const WorkerContext&) = delete;
  WorkerContext& operator=(const WorkerContext&) = delete;
  ~WorkerContext() = default;

  /// The worker's number.
  [[nodiscard]] WorkerIndex index() const { return slot_.index; }
  /// Fires on a nudge and when the pool stops: the worker should leave as soon as it can.
  [[nodiscard]] std::stop_token stop_token() const { return hand_off_.worker_token(slot_); }
  /// The pool's clock.
  [[nodiscard]] Clock& clock() const { return clock_; }

  /// Blocks until there is a job, or until the worker is to leave: then the lease is empty and the body should return.
  /// A stop goes before a retirement, a retirement before a job. The lease before must have been given up.
  [[nodiscard]] Lease<Job> take();

  /// True once `take` has said that the worker is to leave.
  [[nodiscard]] bool asked_to_leave() const { return last_ == Signal::kRetire || last_ == Signal::kStop; }
  /// What the last `take` returned for.
  [[nodiscard]] Signal last_signal() const { return last_; }

 private:
  friend Lease<Job>;
  [[nodiscard]] HandOff<Job>& hand_off() const { return hand_off_; }
  [[nodiscard]] Slot& slot() { return slot_; }
  RunReport make_report(Outcome outcome, Duration ran, TimePoint now);

  HandOff<Job>& hand_off_;
  Slot& slot_;
  Clock& clock_;
  UniqueFunction<void()> on_ready_;
  Signal last_ = Signal::kParked;
  detail::ThreadCpuTime cpu_time_;
};

/// A job in the hands of a worker. Say how it ended with `done`, `fail` or `cancel`, once; a lease that is dropped
/// without (the body throws, or forgets) ends the job as failed with `AbandonedJob`. The job object is destroyed before
/// the submitter is told, so do not use it afterwards.
template <class Job, class Context>
class [[nodiscard]] BasicLease {
 public:
  /// Made by `take` of the context: `fill(entry)` puts the job into its place and says whether there is one.
  template <class Fill>
  BasicLease(Context& context, Fill&& fill) : context_(context), held_(fill(entry_) == Signal::kJob) {
    if (held_) started_at_ = context.slot().started_at();
  }
  BasicLease(const BasicLease&) = delete;
  BasicLease& operator=(const BasicLease&) = delete;
  ~BasicLease() {
    if (held_) fail(std::make_exception_ptr(AbandonedJob()));
  }

  /// True when there is a job.
  explicit operator bool() const { return held_; }
  /// The job; only when there is one.
  Job& operator*() { return *entry_.job; }
  Job* operator->() { return &*entry_.job; }

  /// How long it waited in the queue.
  [[nodiscard]] Duration waited() const { return std::max(started_at_ - entry_.accepted_at, Duration::zero()); }
  /// Its deadline; `kNever` without one. It had not passed when the job was taken.
  [[nodiscard]] TimePoint deadline() const { return entry_.deadline; }
  /// Fires when the job is cancelled, when the worker is nudged and when the pool stops.
  [[nodiscard]] std::stop_token stop_token() const { return context_.slot().job_token(); }

  /// It ran to its end.
  void done() { end(Outcome::kDone, nullptr); }
  /// It failed with `error`.
  void fail(std::exception_ptr error) { end(Outcome::kFailed, std::move(error)); }
  /// It was given up because its token had fired. `error` may be null.
  void cancel(std::exception_ptr error = nullptr) { end(Outcome::kCancelled, std::move(error)); }

 private:
  void end(Outcome outcome, std::exception_ptr error) {
    held_ = false;
    const TimePoint now = context_.clock().now();
    const Duration ran = std::max(now - started_at_, Duration::zero());
    const RunReport report = context_.make_report(outcome, ran, now);
    JobEnd end{outcome, std::move(error), waited(), ran, context_.index()};
    context_.hand_off().finish(context_.slot(), entry_, report, std::move(end));
  }

  Context& context_;
  typename Context::Entry entry_;  // before held_, whose initializer fills it
  TimePoint started_at_{};
  bool held_ = false;
};

template <class Job>
Lease<Job> WorkerContext<Job>::take() {
  if (on_ready_) {
    std::exchange(on_ready_, nullptr)();
    cpu_time_.start(clock_.now());
  }
  return Lease<Job>(*this, [this](Entry& entry) { return last_ = hand_off_.take(slot_, entry); });
}

template <class Job>
RunReport WorkerContext<Job>::make_report(Outcome outcome, Duration ran, TimePoint now) {
  RunReport report{ran, Duration::zero(), 0, outcome};
  cpu_time_.job_ended(now, report.cpu, report.cpu_jobs);
  return report;
}

/// The body of a worker: runs on the worker's thread, takes jobs from the context, and returns when `take` gives none.
/// If it returns or throws before, the worker counts as crashed, and is replaced where the floor demands it.
template <class Job>
using WorkerBody = UniqueFunction<void(WorkerContext<Job>&)>;

/// Makes the body of each worker. Called by the control thread, one call at a time; may throw, which is a failure to
/// start and is tried again later.
template <class Job>
using WorkerFactory = std::function<WorkerBody<Job>(WorkerIndex)>;

}  // namespace optimux::pool
