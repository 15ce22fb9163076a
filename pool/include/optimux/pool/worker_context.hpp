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
  /// A worker's place in the hand-off.
  using Slot = typename HandOff<Job>::Slot;
  /// A job in the hands of a worker.
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
  [[nodiscard]] Lease<Job> take() { return take_at(clock_.now()); }

  /// As `take`, for a body that does nothing between the end of a lease and this: one look at the clock does for both.
  [[nodiscard]] Lease<Job> take_next() { return take_at(ended_at_ != TimePoint{} ? ended_at_ : clock_.now()); }

  /// As `take`, but up to `most` (at least 1) jobs at once, at the cost of about one: as many as wait, but where other
  /// workers are idle no more than an equal share, and no more than 1,024 or the capacity of `leases`. Clears `leases`
  /// first, so that those of the batch before are given up, and fills it. Returns how many there are: 0 when the worker
  /// is to leave. The jobs have been started, all of them; what becomes of each is for the worker to say.
  std::size_t pop_batch(std::vector<Lease<Job>>& leases, std::size_t most);

  /// True once `take` has said that the worker is to leave.
  [[nodiscard]] bool asked_to_leave() const { return last_ == Signal::kRetire || last_ == Signal::kStop; }
  /// What the last `take` returned for.
  [[nodiscard]] Signal last_signal() const { return last_; }

 private:
  friend Lease<Job>;
  static constexpr std::size_t kMostLeases = 1024;  // at once, unless `leases` has room for more
  [[nodiscard]] HandOff<Job>& hand_off() const { return hand_off_; }
  [[nodiscard]] Slot& slot() { return slot_; }
  void note_end(TimePoint now, bool told) { ended_at_ = told ? TimePoint{} : now; }
  Lease<Job> take_at(TimePoint now);
  Entry look_for_jobs(std::size_t most, TimePoint now);
  RunReport make_report(Outcome outcome, TimePoint started_at, TimePoint now);

  HandOff<Job>& hand_off_;
  Slot& slot_;
  Clock& clock_;
  UniqueFunction<void()> on_ready_;
  Signal last_ = Signal::kParked;
  TimePoint busy_since_{};  // when the worker took its jobs, or ended the latest of them
  TimePoint ended_at_{};    // when it ended the latest, if it has done nothing since
  detail::ThreadCpuTime cpu_time_;
};

/// A job in the hands of a worker. Say how it ended with `done`, `fail` or `cancel`, once; a lease that is dropped
/// without (the body throws, or forgets) ends the job as failed with `AbandonedJob`. The job object is destroyed before
/// the submitter is told, so do not use it afterwards.
template <class Job, class Context>
class [[nodiscard]] BasicLease {
 public:
  /// Made by `take` of the context, for the job in `entry`; null for none.
  BasicLease(Context& context, typename Context::Entry entry) : context_(context), node_(entry) {}
  /// Takes the job over; `other` holds none afterwards.
  BasicLease(BasicLease&& other) noexcept : context_(other.context_), node_(std::exchange(other.node_, nullptr)) {}
  BasicLease(const BasicLease&) = delete;
  BasicLease& operator=(const BasicLease&) = delete;
  ~BasicLease() {
    if (node_ != nullptr) fail(std::make_exception_ptr(AbandonedJob()));
  }

  /// True when there is a job.
  explicit operator bool() const { return node_ != nullptr; }
  /// The job; only when there is one.
  Job& operator*() { return *node_->entry.job; }
  /// The job's members; only when there is one.
  Job* operator->() { return &*node_->entry.job; }

  /// When it was taken from the queue, which is when it started. Not after the return of a `stop` (I7).
  [[nodiscard]] TimePoint started_at() const { return node_->entry.started_at; }
  /// How long it waited in the queue.
  [[nodiscard]] Duration waited() const { return std::max(started_at() - node_->entry.accepted_at, Duration::zero()); }
  /// Its deadline; `kNever` without one. It had not passed when the job was taken.
  [[nodiscard]] TimePoint deadline() const { return node_->entry.deadline; }
  /// Fires when the job is cancelled, when the worker is nudged and when the pool stops.
  [[nodiscard]] std::stop_token stop_token() const {
    return context_.hand_off().job_token(context_.slot(), node_->entry);
  }
  /// False if its token is the worker's.
  [[nodiscard]] bool has_own_token() const { return node_->entry.cancellation != nullptr; }

  /// It ran to its end.
  void done() { end(Outcome::kDone, nullptr); }
  /// It failed with `error`.
  void fail(std::exception_ptr error) { end(Outcome::kFailed, std::move(error)); }
  /// It was given up because its token had fired. `error` may be null.
  void cancel(std::exception_ptr error = nullptr) { end(Outcome::kCancelled, std::move(error)); }
  /// It was not begun, because its token had fired (`kCancelled`) or its deadline passed (`kExpired`) while others of
  /// its batch were run. Ends it as a job that was never started.
  void drop(Outcome outcome);

 private:
  void end(Outcome outcome, std::exception_ptr error) {
    node_->entry.job.reset();  // before the time is taken: it is part of what the job costs
    const TimePoint now = context_.clock().now();
    const RunReport report = context_.make_report(outcome, started_at(), now);
    give_back(report, {outcome, std::move(error), waited(), report.ran, context_.index()}, now);
  }
  void give_back(const RunReport& report, JobEnd&& end, TimePoint now) {
    const bool told =
        context_.hand_off().finish(context_.slot(), std::exchange(node_, nullptr), report, std::move(end));
    context_.note_end(now, told);
  }

  Context& context_;
  typename Context::Entry node_;
};

template <class Job, class Context>
void BasicLease<Job, Context>::drop(Outcome outcome) {
  const TimePoint now = context_.clock().now();
  RunReport report = context_.make_report(outcome, started_at(), now);
  report.ran = Duration::zero();
  const Duration waited = std::max(now - node_->entry.accepted_at, Duration::zero());
  give_back(report, {outcome, nullptr, waited, Duration::zero(), kNoWorker}, now);
}

template <class Job>
auto WorkerContext<Job>::look_for_jobs(std::size_t most, TimePoint now) -> Entry {
  if (on_ready_) {
    std::exchange(on_ready_, nullptr)();
    now = clock_.now();
    cpu_time_.start(now);
  }
  Entry first = nullptr;
  last_ = hand_off_.take(slot_, first, now, most);
  ended_at_ = TimePoint{};
  if (first != nullptr) busy_since_ = first->entry.started_at;
  return first;
}

template <class Job>
Lease<Job> WorkerContext<Job>::take_at(TimePoint now) {
  return Lease<Job>(*this, look_for_jobs(1, now));
}

template <class Job>
std::size_t WorkerContext<Job>::pop_batch(std::vector<Lease<Job>>& leases, std::size_t most) {
  leases.clear();
  // Before jobs are taken: without a lease they would never end.
  const std::size_t room = std::clamp<std::size_t>(most, 1, std::max(leases.capacity(), kMostLeases));
  leases.reserve(room);
  Entry entry = look_for_jobs(room, clock_.now());
  for (; entry != nullptr; entry = entry->next) leases.emplace_back(*this, entry);
  return leases.size();
}

template <class Job>
RunReport WorkerContext<Job>::make_report(Outcome outcome, TimePoint started_at, TimePoint now) {
  RunReport report;
  report.outcome = outcome;
  report.ran = std::max(now - started_at, Duration::zero());
  report.occupied = std::max(now - std::exchange(busy_since_, now), Duration::zero());
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
