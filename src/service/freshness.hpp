#pragma once

#include <chrono>
#include <string_view>

#include "base/mutex.hpp"
#include "service/rendition.hpp"

namespace optimux::service {

/// How long a finished rendition is given out without asking its source, and with.
struct FreshnessLimits {
  /// Since it was made or its source was last found unchanged: after this a source that was replaced is seen.
  std::chrono::milliseconds fresh{300'000};
  /// After that: it is given out at once, and its source is asked behind the answer (RFC 5861, section 3).
  std::chrono::milliseconds stale_while_revalidate{0};
  /// After `fresh`: it is given out if its source fails (RFC 5861, section 4).
  std::chrono::milliseconds stale_if_error{3'600'000};
};

/// What may be done with a finished rendition.
enum class Freshness {
  kFresh,        ///< It may be given out.
  kRefreshable,  ///< It may be given out, and its source is asked behind the answer.
  kFallback,     ///< Its source is asked first; it may be given out if that fails.
  kStale,        ///< Its source is asked first; it may be given out if that has not changed.
};

/// What may be done with `rendition` at `now`. An origin that said `no-cache` or `must-revalidate` of its source wants
/// no stale one (RFC 9111, section 4.2.4). One whose source failed a moment ago is as if it were refreshable, so that
/// not every request waits for the next failure.
Freshness freshness_of(const Rendition& rendition, const FreshnessLimits& limits, Rendition::TimePoint now);

/// Whether a rendition whose source failed a moment ago should let it rest.
bool should_rest(const Rendition& rendition, Rendition::TimePoint now);

/// Whether the origin wants that nobody but the asker keeps its source: `no-store` or `private` (RFC 9111, section
/// 5.2.2).
bool forbids_keeping(std::string_view cache_control);

/// The clock time of a moment, and back, as far as both clocks go on at the same pace. A time that lies ahead by more
/// than clocks differ comes back as long ago: whatever was noted under a wrong clock is not taken for fresh.
std::chrono::system_clock::time_point clock_time_of(Rendition::TimePoint moment);
Rendition::TimePoint moment_of(std::chrono::system_clock::time_point clock_time);

/// The limits in force; they may change while the service runs. Thread-safe.
class FreshnessRule {
 public:
  explicit FreshnessRule(const FreshnessLimits& limits) : limits_(limits) {}

  FreshnessLimits limits() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return limits_;
  }
  void set(const FreshnessLimits& limits) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    limits_ = limits;
  }
  /// As `freshness_of`, now.
  Freshness of(const Rendition& rendition) const {
    return freshness_of(rendition, limits(), std::chrono::steady_clock::now());
  }

 private:
  mutable base::Mutex mutex_;
  FreshnessLimits limits_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
