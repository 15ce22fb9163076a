#pragma once

#include "base/mutex.hpp"

#include <chrono>

namespace optimux::apps {

/// Where the time of a shape's threads goes, added up over all of them. Thread-safe.
class ThreadTimes {
 public:
  void add(double blocked, double total) OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    blocked_ += blocked;
    total_ += total;
  }
  /// The share of their time that they spent waiting for each other, 0 to 1; 0 without threads.
  double blocked_share() const OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    return total_ > 0 ? blocked_ / total_ : 0;
  }

 private:
  mutable base::Mutex mutex_;
  double blocked_ OPTIMUX_GUARDED_BY(mutex_) = 0;  // Seconds.
  double total_ OPTIMUX_GUARDED_BY(mutex_) = 0;    // Seconds.
};

/// The time of one thread, from the making of this object to its end. For that thread alone.
class ThreadTime {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ThreadTime(ThreadTimes& all) : all_(all), started_(Clock::now()) {}
  ThreadTime(const ThreadTime&) = delete;
  ThreadTime& operator=(const ThreadTime&) = delete;
  ~ThreadTime() { all_.add(blocked_, seconds_since(started_)); }

  /// Calls `wait` and counts its time as blocked.
  template <class Wait>
  auto blocked(Wait&& wait) {
    const Clock::time_point start = Clock::now();
    auto result = wait();
    blocked_since(start);
    return result;
  }
  /// As `blocked`, for a wait that began at `start` and has just ended.
  void blocked_since(Clock::time_point start) { blocked_ += seconds_since(start); }

 private:
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  ThreadTimes& all_;
  const Clock::time_point started_;
  double blocked_ = 0;
};

}  // namespace optimux::apps
