/// \file
/// Time as the pool sees it. Everything in the library that reads the time or waits for it goes through `Clock`, so
/// that policies, the supervisor and whole pools can run under a clock that a test or a simulator moves by hand.
#pragma once

#include "optimux/pool/mutex.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace optimux::pool {

/// A point of the steady clock (nanoseconds; never set back).
using TimePoint = std::chrono::steady_clock::time_point;
/// A length of time in nanoseconds.
using Duration = std::chrono::steady_clock::duration;

/// "No deadline": later than every other point.
inline constexpr TimePoint kNever = TimePoint::max();

/// `duration` as a number of seconds.
[[nodiscard]] constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
/// A number of seconds as a `Duration`, rounded towards zero.
[[nodiscard]] constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Where the time comes from. All members may be called by any thread.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  /// The present moment. Does not block.
  [[nodiscard]] virtual TimePoint now() const = 0;

  /// Gives `mutex` up and blocks until `condition` is notified or `deadline` is reached on this clock, then takes
  /// `mutex` again. May return early; returns false once the deadline has been reached.
  virtual bool wait_until(Condition& condition, Mutex& mutex, TimePoint deadline) OPTIMUX_POOL_REQUIRES(mutex) = 0;

  /// False if time passes only when somebody moves it on. Then nothing is put off for a time that may never come.
  [[nodiscard]] virtual bool runs() const { return true; }

  /// The machine's steady clock; one object for the whole process.
  [[nodiscard]] static std::shared_ptr<Clock> steady();
};

/// A clock that stands still until it is moved. For tests and simulations.
class ManualClock final : public Clock {
 public:
  /// A clock that shows `start`.
  explicit ManualClock(TimePoint start = TimePoint{} + std::chrono::hours(1)) : now_(start) {}

  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] bool runs() const override { return false; }
  bool wait_until(Condition& condition, Mutex& mutex, TimePoint deadline) override OPTIMUX_POOL_REQUIRES(mutex);

  /// Moves the clock forward by `step` (not negative) and wakes everybody who waits on it. Must not run at the same
  /// time as the destruction of a pool that uses this clock. Call it with no lock held that a waiter needs.
  void advance(Duration step);

 private:
  struct Waiter {
    Condition* condition;
    Mutex* mutex;
  };
  mutable Mutex mutex_;
  TimePoint now_ OPTIMUX_POOL_GUARDED_BY(mutex_);
  std::vector<Waiter> waiters_ OPTIMUX_POOL_GUARDED_BY(mutex_);
};

}  // namespace optimux::pool
