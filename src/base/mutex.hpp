#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Clang's thread-safety attributes (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html); nothing on other
/// compilers.
#if defined(__clang__)
#define OPTIMUX_TSA(x) __attribute__((x))
#else
#define OPTIMUX_TSA(x)
#endif
#define OPTIMUX_CAPABILITY(name) OPTIMUX_TSA(capability(name))
#define OPTIMUX_SCOPED_CAPABILITY OPTIMUX_TSA(scoped_lockable)
#define OPTIMUX_GUARDED_BY(mutex) OPTIMUX_TSA(guarded_by(mutex))
#define OPTIMUX_REQUIRES(...) OPTIMUX_TSA(requires_capability(__VA_ARGS__))
#define OPTIMUX_EXCLUDES(...) OPTIMUX_TSA(locks_excluded(__VA_ARGS__))
#define OPTIMUX_ACQUIRE(...) OPTIMUX_TSA(acquire_capability(__VA_ARGS__))
#define OPTIMUX_RELEASE(...) OPTIMUX_TSA(release_capability(__VA_ARGS__))
#define OPTIMUX_NO_THREAD_SAFETY_ANALYSIS OPTIMUX_TSA(no_thread_safety_analysis)

namespace optimux::base {

/// `std::mutex` as a capability that the compiler can check. Not recursive.
class OPTIMUX_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() OPTIMUX_ACQUIRE() { mutex_.lock(); }
  void unlock() OPTIMUX_RELEASE() { mutex_.unlock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

/// Holds a `Mutex` for a scope.
class OPTIMUX_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) OPTIMUX_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() OPTIMUX_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable for `Mutex`. Callers loop over their own predicate: the analysis cannot look into a lambda.
class ConditionVariable {
 public:
  /// Releases `mutex`, waits for a notification (or a spurious wake-up), and takes `mutex` again. Blocks.
  void wait(Mutex& mutex) OPTIMUX_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  /// As `wait`, but no longer than until `time`. Returns false when the time is over. Blocks.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point time) OPTIMUX_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const auto status = condition_.wait_until(lock, time);
    lock.release();
    return status == std::cv_status::no_timeout;
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace optimux::base
