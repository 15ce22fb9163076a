#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace optimux::source {

/// Until when a body that is coming in too slowly is waited for. Counts from its first bytes on: how long an origin
/// thinks before it answers says nothing of how fast it delivers.
///
/// A body has `time` for each `time` x `bytes_per_second` bytes, and begins anew as soon as it has brought them. So one
/// that stops is given up `time` after its last bytes that were worth anything, whatever it has brought before, and one
/// that stays below the rate after `time`; bursts and pauses within `time` are as good as a steady flow.
///
/// No clock of its own; not thread-safe.
class LowSpeedWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// With 0 for either it never gives up.
  LowSpeedWatch(std::uint64_t bytes_per_second, std::chrono::seconds time);

  /// `bytes` of the body have come.
  void arrived(std::uint64_t bytes, Clock::time_point now);
  /// When to give up unless more comes; nothing before the first bytes, or if never.
  std::optional<Clock::time_point> end() const { return end_; }

 private:
  std::chrono::seconds time_;
  std::uint64_t bytes_wanted_;
  std::uint64_t bytes_ = 0;
  std::optional<Clock::time_point> end_;
};

}  // namespace optimux::source
