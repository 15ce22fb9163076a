#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace optimux::source {

/// The event loop that sources run on, as little of it as they need. The server implements it on Asio; `PollReactor` is
/// a small one on poll(2) for the command line and for tests. Callbacks run in the loop's thread, one at a time.
class Reactor {
 public:
  enum Interest : unsigned { kNone = 0, kRead = 1, kWrite = 2 };

  Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;
  virtual ~Reactor() = default;

  /// Runs `task` in the loop's thread, soon. The only function that any thread may call; the others belong to the
  /// loop's thread.
  virtual void post(std::function<void()> task) = 0;

  /// From now on calls `ready` with the kinds that `descriptor` is ready for (level-triggered; errors and hang-ups
  /// count as ready for all that is watched), until the interest is changed; kNone forgets the descriptor, after which
  /// it may be closed. The descriptor stays the caller's.
  virtual void watch(int descriptor, unsigned interest, std::function<void(unsigned ready)> callback) = 0;

  using TimerId = std::uint64_t;
  /// Calls `task` once after `delay`. Returns an id that is never 0.
  virtual TimerId start_timer(std::chrono::milliseconds delay, std::function<void()> task) = 0;
  /// After this the timer's task is not called. Unknown and fired ids are ignored.
  virtual void cancel_timer(TimerId timer) = 0;
};

/// Runs blocking work (reading a local file) somewhere off the event loop. Returns false if it cannot be taken on now;
/// the work is then not run.
using BlockingRunner = std::function<bool(std::function<void()> work)>;

}  // namespace optimux::source
