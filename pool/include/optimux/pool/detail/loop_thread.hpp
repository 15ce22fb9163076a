/// \file
/// One thread of an event loop: what waits to be run, its timers and its descriptors.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/detail/posted.hpp"
#include "optimux/pool/detail/wake_ahead.hpp"
#include "optimux/pool/timer_wheel.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>

struct epoll_event;

namespace optimux::pool::detail {

/// An open descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

/// What the threads of one loop share.
struct LoopState {
  std::shared_ptr<Clock> clock;
  std::atomic<bool> stopping{false};
  std::atomic<std::int64_t> tasks{0};  ///< Spawned and not ended.
};

class Wait;

/// The thread's part that has no thread of its own: whoever calls `run` or `turn` is it.
///
/// Memory ordering: what was written before `post` is visible to what is posted. The word `remote_` is the whole
/// protocol: a stack of what other threads posted, or the mark that the thread is about to sleep. A poster that takes
/// the mark away is the one that writes to the eventfd, so a sleeping thread costs one system call and a busy one none.
class LoopThread {
 public:
  /// Throws std::system_error when the system gives no descriptors.
  explicit LoopThread(LoopState& loop);
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread() = default;

  /// Lets `posted.run` be called on the loop's thread. Any thread. `posted` must stay until then.
  void post(Posted& posted);
  /// Makes the thread look at the clock and at `LoopState::stopping`. Any thread.
  void wake();

  /// Runs until the loop stops and every task has ended. Calling thread becomes the loop's thread.
  void run();
  /// Runs what is ready, due or readable now; sleeps for it if nothing is and `may_sleep`. Returns how much was run.
  std::size_t turn(bool may_sleep);
  /// The loop thread that the calling thread is; null when it is none.
  static LoopThread* current();
  /// Whether the calling thread is this one.
  [[nodiscard]] bool is_current() const { return current() == this; }

  // The rest is for the loop's thread alone.

  /// The moment at which the present turn began to run things.
  [[nodiscard]] TimePoint turn_time() const { return turn_time_; }
  /// How many turns there have been, the present one included.
  [[nodiscard]] std::uint64_t turns() const { return turns_; }
  /// The loop that it belongs to.
  [[nodiscard]] LoopState& loop() const { return loop_; }
  /// Lets `posted` run with the next turn.
  void ready(Posted& posted) { ready_.push(posted); }
  /// Lets `timer` run at `when`; at once when the loop stops.
  void start(Timer& timer, TimePoint when) {
    if (loop_.stopping.load(std::memory_order_relaxed)) return ready_.push(timer);
    timers_.set(timer, when);
  }
  /// Takes the timer out if it is set.
  void cancel(Timer& timer) { timers_.cancel(timer); }
  /// Watches the descriptor that `wait` waits for. False, with errno, when that is impossible.
  bool watch(Wait& wait);
  /// Ends the watch; `reported` if that is because the descriptor was ready.
  void unwatch(const Wait& wait, bool reported);

 private:
  struct Watch {
    Wait* reader = nullptr;
    Wait* writer = nullptr;
  };
  using Watches = std::unordered_map<int, Watch>;

  void push_remote(Posted& posted);
  void take_remote();
  void rest(bool may_sleep);
  void sleep_until(TimePoint until);
  int look_at_descriptors(Duration at_most);
  void report(const epoll_event& event);
  bool arm(int descriptor, const Watch& watch) const;
  void cut_waits_short();

  LoopState& loop_;
  Descriptor epoll_;
  Descriptor wake_up_;
  std::atomic<Posted*> remote_{nullptr};
  Posted asleep_;  // its address is the mark; never run
  std::atomic<bool> wake_posted_{false};
  struct Awakening : Posted {
    LoopThread* thread = nullptr;
  } awakening_;

  PostedList ready_;
  TimerWheel timers_;
  Watches watches_;
  WakeAhead wake_ahead_;
  TimePoint turn_time_{};
  std::uint64_t turns_ = 0;
  unsigned turns_without_looking_ = 0;
};

}  // namespace optimux::pool::detail
