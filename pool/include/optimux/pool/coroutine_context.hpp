/// \file
/// What the body of a coroutine worker works with: where it waits for jobs, without holding a thread.
#pragma once

#include "optimux/pool/event_loop.hpp"
#include "optimux/pool/worker_context.hpp"

namespace optimux::pool {

template <class Job>
class CoroutineContext;
template <class Job>
class CoroutineCrew;

/// Where a coroutine worker rests: nowhere. Waking it puts it among what its loop thread is to run, which costs a
/// system call only if that thread sleeps.
class CoroutineParker : public detail::Posted {
 public:
  /// Lets the worker look again. Any thread; at most one call for each time that it parked.
  void wake() { thread->post(*this); }
  /// The loop thread that the worker belongs to.
  detail::LoopThread* thread = nullptr;
};

/// The primitives of a hand-off between coroutines.
struct CoroutineSync : StandardSync {
  /// Where a coroutine worker rests.
  using Parker = CoroutineParker;
  /// There may be 100,000 parked workers: memory before speed.
  static constexpr bool kKeepsStopState = false;
};

/// The queue and the parked workers of a pool of coroutines.
template <class Job>
using CoroutineHandOff = HandOff<Job, CoroutineSync>;

/// What `CoroutineContext::take` gives out; see `BasicLease`.
template <class Job>
using CoroutineLease = BasicLease<Job, CoroutineContext<Job>>;

/// A worker that is a coroutine: given to its body, for that body alone, for as long as it runs. It is also the
/// worker's place in the hand-off and all that an idle worker consists of.
template <class Job>
class CoroutineContext : private CoroutineHandOff<Job>::Slot {
 public:
  /// A job in the hands of a worker.
  using Entry = typename CoroutineHandOff<Job>::Entry;

  /// The worker's wait for a job: see `take`.
  class Take {
   public:
    /// Made by `take`.
    explicit Take(CoroutineContext& context) : context_(context) {}
    /// Always waits for a turn of the loop.
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    // By way of the loop's queue even if a job waits: jobs that wait for nothing must not keep the loop from its
    // timers.
    /// Lets the worker look with the next turn, and `waiter` go on when there is an answer.
    void await_suspend(std::coroutine_handle<> waiter) {
      waiter_ = waiter;
      context_.waiting_ = this;
      context_.look_again(&Take::look);
    }
    /// The job, or an empty lease when the worker is to leave.
    [[nodiscard]] CoroutineLease<Job> await_resume() { return CoroutineLease<Job>(context_, entry_); }

   private:
    static void look(detail::Posted& posted) {
      CoroutineContext& context = from(posted);
      Take& take = *context.waiting_;
      if (context.look(take.entry_, context.clock().now()) != Signal::kParked) take.waiter_.resume();
    }
    CoroutineContext& context_;
    std::coroutine_handle<> waiter_;
    Entry entry_ = nullptr;
  };

  /// Made by the pool.
  CoroutineContext(CoroutineCrew<Job>& crew, WorkerIndex index, detail::LoopThread& home) : Slot(index), crew_(crew) {
    this->thread = &home;
  }
  CoroutineContext(const CoroutineContext&) = delete;
  CoroutineContext& operator=(const CoroutineContext&) = delete;
  ~CoroutineContext() = default;

  /// The worker's number.
  [[nodiscard]] WorkerIndex index() const { return Slot::index; }
  /// Fires on a nudge and when the pool stops: the worker should leave as soon as it can.
  [[nodiscard]] std::stop_token stop_token() { return hand_off().worker_token(*this); }
  /// The pool's clock.
  [[nodiscard]] Clock& clock() const { return crew_.clock(); }
  /// The loop that the worker lives on.
  [[nodiscard]] EventLoop& loop() const { return crew_.loop(); }

  /// `co_await` it: gives a lease once there is a job, or an empty one once the worker is to leave: then the body
  /// should return. A stop goes before a retirement, a retirement before a job. The lease before must have been given
  /// up.
  [[nodiscard]] Take take() { return Take(*this); }

  /// True on the worker's loop thread.
  [[nodiscard]] bool is_home() const { return this->thread->is_current(); }
  /// Counts the turns of the worker's loop thread. On that thread.
  [[nodiscard]] std::uint64_t turn() const { return this->thread->turns(); }

  /// True once `take` has said that the worker is to leave.
  [[nodiscard]] bool asked_to_leave() const { return last_ == Signal::kRetire || last_ == Signal::kStop; }
  /// What the last `take` ended for.
  [[nodiscard]] Signal last_signal() const { return last_; }

 private:
  using Slot = typename CoroutineHandOff<Job>::Slot;
  friend class CoroutineCrew<Job>;
  friend CoroutineLease<Job>;

  static CoroutineContext& from(detail::Posted& posted) {
    return static_cast<CoroutineContext&>(static_cast<Slot&>(static_cast<CoroutineParker&>(posted)));
  }
  void look_again(detail::Posted::Run how) {
    this->run = how;
    this->thread->post(*this);
  }
  Signal look(Entry& entry, TimePoint now) {
    if (!std::exchange(announced_, true)) crew_.worker_ready(*this);
    return last_ = hand_off().take_or_park(*this, entry, now);
  }
  [[nodiscard]] CoroutineHandOff<Job>& hand_off() const { return crew_.hand_off_; }
  [[nodiscard]] Slot& slot() { return *this; }
  void note_end(TimePoint now, bool told) { crew_.note_end(*this, told ? TimePoint{} : now); }
  RunReport make_report(Outcome outcome, TimePoint started_at, TimePoint now) {
    return crew_.make_report(*this, outcome, std::max(now - started_at, Duration::zero()), now);
  }

  Signal last_ = Signal::kParked;
  bool announced_ = false;
  bool gone_ = false;  // guarded by the crew's mutex
  CoroutineCrew<Job>& crew_;
  Take* waiting_ = nullptr;
};

}  // namespace optimux::pool
