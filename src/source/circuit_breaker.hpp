#pragma once

#include <chrono>
#include <optional>

namespace optimux::source {

struct BreakerSettings {
  int failures = 5;                      ///< In a row, after which a host is given up; 0: never.
  std::chrono::milliseconds time{5000};  ///< For which it is given up, until a single attempt tries it again.
};

/// Keeps attempts away from a host that fails time after time: they would only take connections and time from those
/// that could be served, and weigh on a host that is trying to get up.
///
///     closed --N failures in a row--> open --time--> half-open: one attempt --success--> closed
///                                       ^------------------failure---------------'
///
/// No clock of its own; not thread-safe.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CircuitBreaker(BreakerSettings settings) : settings_(settings) {}

  /// Whether an attempt may be made at `now`. One that was admitted reports its end by one of the three below.
  bool admit(Clock::time_point now);
  /// The host did what it is there for, refusals included.
  void succeeded();
  /// It could not be reached or failed by itself. True when it is given up for that.
  bool failed(Clock::time_point now);
  /// The attempt ended before anything could be told.
  void abandoned() { is_probing_ = false; }

  /// Whether the host is given up; still so while an attempt tries it again.
  bool is_open() const { return open_until_.has_value(); }

 private:
  const BreakerSettings settings_;
  int failures_ = 0;  ///< In a row.
  std::optional<Clock::time_point> open_until_;
  bool is_probing_ = false;  ///< The one attempt is under way.
};

}  // namespace optimux::source
