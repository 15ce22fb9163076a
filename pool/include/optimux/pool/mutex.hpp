/// \file
/// Mutex, lock and condition variable that carry clang's thread-safety attributes, so that the compiler checks that
/// guarded members are touched with their mutex held (`-Wthread-safety`). On other compilers the macros are empty.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define OPTIMUX_POOL_ATTRIBUTE(x) __attribute__((x))
#else
/// An attribute of the analysis; nothing on other compilers.
#define OPTIMUX_POOL_ATTRIBUTE(x)
#endif

/// The class is something that can be held.
#define OPTIMUX_POOL_CAPABILITY(name) OPTIMUX_POOL_ATTRIBUTE(capability(name))
/// The class holds something for as long as it lives.
#define OPTIMUX_POOL_SCOPED_CAPABILITY OPTIMUX_POOL_ATTRIBUTE(scoped_lockable)
/// The member is touched with the mutex held.
#define OPTIMUX_POOL_GUARDED_BY(mutex) OPTIMUX_POOL_ATTRIBUTE(guarded_by(mutex))
/// The function is called with the mutexes held.
#define OPTIMUX_POOL_REQUIRES(...) OPTIMUX_POOL_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// The function is called without the mutexes, which it takes itself.
#define OPTIMUX_POOL_EXCLUDES(...) OPTIMUX_POOL_ATTRIBUTE(locks_excluded(__VA_ARGS__))
/// The function takes the mutexes and returns with them held.
#define OPTIMUX_POOL_ACQUIRE(...) OPTIMUX_POOL_ATTRIBUTE(acquire_capability(__VA_ARGS__))
/// The function gives up mutexes that are held.
#define OPTIMUX_POOL_RELEASE(...) OPTIMUX_POOL_ATTRIBUTE(release_capability(__VA_ARGS__))
/// The function takes and gives up mutexes in a way that the analysis cannot follow.
#define OPTIMUX_POOL_NO_ANALYSIS OPTIMUX_POOL_ATTRIBUTE(no_thread_safety_analysis)

namespace optimux::pool {

/// A `std::mutex` that clang knows as a capability. Not recursive.
class OPTIMUX_POOL_CAPABILITY("mutex") Mutex {
 public:
  /// Blocks until the calling thread owns the mutex.
  void lock() OPTIMUX_POOL_ACQUIRE() { mutex_.lock(); }
  /// Gives the mutex up. The calling thread must own it.
  void unlock() OPTIMUX_POOL_RELEASE() { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

/// Holds a mutex for the length of a scope. `AnyMutex` is `Mutex`, or what a test puts in its place.
template <class AnyMutex>
class OPTIMUX_POOL_SCOPED_CAPABILITY ScopedLock {
 public:
  /// Blocks until `mutex` is owned.
  explicit ScopedLock(AnyMutex& mutex) OPTIMUX_POOL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ScopedLock(const ScopedLock&) = delete;
  ScopedLock& operator=(const ScopedLock&) = delete;
  ~ScopedLock() OPTIMUX_POOL_RELEASE() { mutex_.unlock(); }

 private:
  AnyMutex& mutex_;
};

/// Holds a `Mutex` for the length of a scope.
using MutexLock = ScopedLock<Mutex>;

/// A condition variable for `Mutex`. Waits may end without a notification: callers wait in a loop on their condition.
class Condition {
 public:
  /// Gives `mutex` up, blocks until notified, takes `mutex` again.
  void wait(Mutex& mutex) OPTIMUX_POOL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  /// As `wait`, but not beyond `deadline`. Returns false when the deadline ended the wait.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) OPTIMUX_POOL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool notified = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  /// Wakes one waiting thread, if there is one.
  void notify_one() { condition_.notify_one(); }
  /// Wakes every waiting thread.
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace optimux::pool
