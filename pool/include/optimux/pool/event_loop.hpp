/// \file
/// Threads on which coroutines wait without holding a thread. Linux.
#pragma once

#include "optimux/pool/config_error.hpp"
#include "optimux/pool/task.hpp"
#include "optimux/pool/unique_function.hpp"
#include "optimux/pool/wait.hpp"

#include <functional>
#include <thread>
#include <vector>

namespace optimux::pool {

/// The settings of an event loop.
struct EventLoopOptions {
  /// Loop threads; 1 to 1024. One is enough for coroutines that only wait; more are for those that also compute. A
  /// coroutine stays on its thread.
  int threads = 1;
  std::shared_ptr<Clock> clock = Clock::steady();  ///< Not null. After moving a clock by hand, call `wake`.
  /// False: no threads are made, and the caller runs the loop with `turn`. Then `threads` must be 1.
  bool own_threads = true;
  /// Runs first on each loop thread, with its number from 0: to name it, to set its nice value. May be empty. Must not
  /// throw (that terminates).
  std::function<void(int)> on_thread_start = nullptr;
};

/// Runs coroutines and functions, timers and waits for descriptors, on a few threads. All members may be called by any
/// thread unless they say otherwise. What runs on a loop thread must not block: it would hold up everybody there.
class EventLoop {
 public:
  /// Makes the loop and starts its threads. Fails with the name of the wrong field; with "threads" also when the system
  /// gives no threads or descriptors.
  [[nodiscard]] static Made<std::unique_ptr<EventLoop>> make(EventLoopOptions options = {});
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  /// Stops, and waits until every spawned task has ended. Not on a loop thread. Pools on the loop go first.
  ~EventLoop();

  /// Until `duration` has passed: `co_await` gives true, or false when the loop stopped before. The coroutine goes on
  /// on the loop thread where it was, or, if it came from elsewhere, on any.
  [[nodiscard]] Sleep sleep_for(Duration duration) { return {here(), clock_from_now(duration)}; }
  /// As above, but `stop` cuts it short too.
  [[nodiscard]] StoppableSleep sleep_for(Duration duration, std::stop_token stop) {
    return sleep_until(clock_from_now(duration), std::move(stop));
  }
  /// Until the loop's clock shows `until`.
  [[nodiscard]] Sleep sleep_until(TimePoint until) { return {here(), until}; }
  /// As above, but `stop` cuts it short too.
  [[nodiscard]] StoppableSleep sleep_until(TimePoint until, std::stop_token stop) {
    return {here(), -1, detail::Wait::Direction::kNone, until, std::move(stop)};
  }

  /// Until `descriptor` can be read: `co_await` gives a `Waited`. The descriptor should be non-blocking, since another
  /// reader may be faster. At most one coroutine of each loop thread may wait to read from it. It must not be closed
  /// while somebody waits for it.
  [[nodiscard]] Readiness readable(int descriptor, TimePoint deadline = kNever, std::stop_token stop = {}) {
    return {here(), descriptor, detail::Wait::Direction::kRead, deadline, std::move(stop)};
  }
  /// As `readable`, for writing.
  [[nodiscard]] Readiness writable(int descriptor, TimePoint deadline = kNever, std::stop_token stop = {}) {
    return {here(), descriptor, detail::Wait::Direction::kWrite, deadline, std::move(stop)};
  }

  /// Runs `function` on a loop thread, soon. Does not wait. It must not throw (that terminates). What is posted after
  /// `stop` may run late, on the thread that destroys the loop.
  void post(UniqueFunction<void()> function);
  /// Starts `task` on a loop thread; the loop owns it. It must not throw (that terminates).
  void spawn(Task<> task);

  /// Every wait, present and future, ends at once as cut short or cancelled, so that tasks can come to their end; the
  /// threads leave when all have. Does not wait. May be called again.
  void stop();
  /// True once `stop` has been called: a coroutine that waits in a loop should look.
  [[nodiscard]] bool stopping() const { return state_.stopping.load(std::memory_order_relaxed); }
  /// Makes every thread look at the clock.
  void wake();
  /// Without threads of its own: runs what can be run now, on the calling thread, which is the loop's for as long.
  /// Returns how much that was. One caller at a time.
  std::size_t turn();

  /// The loop's clock.
  [[nodiscard]] Clock& clock() const { return *state_.clock; }
  /// Loop threads; 1 without threads of its own.
  [[nodiscard]] int threads() const { return static_cast<int>(loops_.size()); }
  /// Thread `number` from 0. For workers; not for users.
  [[nodiscard]] detail::LoopThread& thread(std::size_t number) { return *loops_[number]; }
  /// Keeps the threads from leaving, as a spawned task does, until `release`. For workers; not for users.
  void hold() { state_.tasks.fetch_add(1); }
  /// Ends a `hold`. On a loop thread.
  void release();

 private:
  explicit EventLoop(EventLoopOptions&& options);
  void start_threads();
  [[nodiscard]] detail::LoopThread& here();
  [[nodiscard]] detail::LoopThread& next_thread();
  [[nodiscard]] TimePoint clock_from_now(Duration duration) const;
  detail::Detached drive(Task<> task);

  detail::LoopState state_;
  const std::function<void(int)> on_thread_start_;
  std::vector<std::unique_ptr<detail::LoopThread>> loops_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace optimux::pool
