#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace optimux::apps {

/// A bounded queue of values between threads, as Go has it. Thread-safe.
template <class Value>
class Channel {
 public:
  /// `capacity` is at least 1.
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() = default;

  /// Blocks until there is a place. False, and nothing done, once the channel is closed.
  bool send(Value value) OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (!is_closed_ && values_.size() >= capacity_) has_place_.wait(mutex_);
    if (is_closed_) return false;
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  /// Blocks until there is a value. Nothing once the channel is closed and empty.
  std::optional<Value> receive() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (!is_closed_ && values_.empty()) has_value_.wait(mutex_);
    return take();
  }

  /// A value if there is one now. Does not block.
  std::optional<Value> try_receive() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    return take();
  }

  /// Nothing can be sent any more; what is in it can still be received.
  void close() OPTIMUX_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    is_closed_ = true;
    has_value_.notify_all();
    has_place_.notify_all();
  }

 private:
  std::optional<Value> take() OPTIMUX_REQUIRES(mutex_) {
    if (values_.empty()) return std::nullopt;
    std::optional<Value> value(std::move(values_.front()));
    values_.pop_front();
    has_place_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  base::Mutex mutex_;
  base::ConditionVariable has_value_;
  base::ConditionVariable has_place_;
  std::deque<Value> values_ OPTIMUX_GUARDED_BY(mutex_);
  bool is_closed_ OPTIMUX_GUARDED_BY(mutex_) = false;
};

}  // namespace optimux::apps
