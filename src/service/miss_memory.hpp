#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "base/mutex.hpp"

namespace optimux::service {

/// Remembers for a while what was not found. Bounded: when it is full it forgets everything, which costs no more than
/// asking again. Thread-safe; nothing blocks for longer than a short mutex.
class MissMemory {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxEntries = 10'000;

  /// `time`: how long a miss is remembered; 0: not at all.
  explicit MissMemory(std::chrono::milliseconds time) : time_(time) {}

  void remember(const std::string& name, Clock::time_point now) OPTIMUX_EXCLUDES(mutex_) {
    if (time_.count() == 0) return;
    base::MutexLock lock(mutex_);
    if (entries_.size() >= kMaxEntries) entries_.clear();
    entries_[name] = now + time_;
  }

  void forget(const std::string& name) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    entries_.erase(name);
  }

  bool contains(const std::string& name, Clock::time_point now) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return false;
    if (now < found->second) return true;
    entries_.erase(found);
    return false;
  }

 private:
  const std::chrono::milliseconds time_;
  base::Mutex mutex_;
  std::unordered_map<std::string, Clock::time_point> entries_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
