#pragma once

#include <chrono>

namespace optimux::base {

/// A point in time after which a result is worth nothing. It travels with a request through every layer. Based on the
/// monotonic clock, so that a step of the wall clock changes nothing. A small value type, safe to copy between threads.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// A deadline that never comes.
  Deadline() = default;
  explicit Deadline(Clock::time_point time) : time_(time) {}

  static Deadline never() { return Deadline(); }
  static Deadline after(Clock::duration duration) { return Deadline(Clock::now() + duration); }

  bool has_passed() const { return has_passed(Clock::now()); }
  bool has_passed(Clock::time_point now) const { return now >= time_; }

  /// Time left, never negative.
  Clock::duration remaining() const {
    const auto now = Clock::now();
    return now >= time_ ? Clock::duration::zero() : time_ - now;
  }

  bool is_never() const { return time_ == Clock::time_point::max(); }
  Clock::time_point time() const { return time_; }

  /// The earlier of the two.
  Deadline sooner(Deadline other) const { return other.time_ < time_ ? other : *this; }

 private:
  Clock::time_point time_ = Clock::time_point::max();
};

}  // namespace optimux::base
