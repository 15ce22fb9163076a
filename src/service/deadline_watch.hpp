#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <unordered_map>

#include "base/deadline.hpp"
#include "base/mutex.hpp"

namespace optimux::service {

/// Calls back when deadlines pass, from one thread of its own that sleeps until the earliest. Work that waits for an
/// origin, for a worker or for memory is in nobody's hands then; this is what ends it on time.
///
/// Thread-safe. Callbacks run one at a time in the watch's thread with no lock held, and should be short.
class DeadlineWatch {
 public:
  using Id = std::uint64_t;  ///< Never 0.
  using Callback = std::function<void()>;

  DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;
  ~DeadlineWatch() { stop(); }

  /// Calls `passed` once, soon after `deadline`. Returns 0, and keeps nothing, for a deadline that never comes.
  Id add(base::Deadline deadline, Callback passed) OPTIMUX_EXCLUDES(mutex_);

  /// Forgets that callback; one that is being called at this moment may still be running. 0 and unknown ids are
  /// ignored.
  void remove(Id id) OPTIMUX_EXCLUDES(mutex_);

  /// Ends the thread and forgets all callbacks. Blocks while one is being called, so not from inside a callback. What
  /// is added afterwards is never called.
  void stop() OPTIMUX_EXCLUDES(mutex_);

 private:
  using Time = base::Deadline::Clock::time_point;
  struct Entry {
    Id id = 0;
    Callback passed;
  };
  using Entries = std::multimap<Time, Entry>;

  void run() OPTIMUX_EXCLUDES(mutex_);
  Callback wait_for_next() OPTIMUX_EXCLUDES(mutex_);
  Callback take_first() OPTIMUX_REQUIRES(mutex_);

  base::Mutex mutex_;
  base::ConditionVariable changed_;
  Entries entries_ OPTIMUX_GUARDED_BY(mutex_);
  std::unordered_map<Id, Entries::iterator> by_id_ OPTIMUX_GUARDED_BY(mutex_);
  Id next_id_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  bool is_stopping_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace optimux::service
