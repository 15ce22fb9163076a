#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/mutex.hpp"

namespace optimux::service {

/// Says that something goes wrong, but at most once a minute: what fails for every request would else fill the log.
/// Thread-safe.
class PacedLog {
 public:
  using Clock = std::chrono::steady_clock;

  /// `log` must outlive it.
  explicit PacedLog(base::LogSink& log) : log_(log) {}

  /// A warning with the cause, and how often it went unsaid since the last line; or nothing, if that is not yet a
  /// minute ago.
  void warn(std::string_view event, const std::string& cause, Clock::time_point now = Clock::now())
      OPTIMUX_EXCLUDES(mutex_) {
    std::uint64_t unsaid = 0;
    {
      base::MutexLock lock(mutex_);
      if (now < next_) {
        ++unsaid_;
        return;
      }
      next_ = now + std::chrono::minutes(1);
      unsaid = unsaid_;
      unsaid_ = 0;
    }
    log_.warning(event, {{"cause", cause}, {"unsaid", unsaid}});
  }

 private:
  base::LogSink& log_;
  base::Mutex mutex_;
  Clock::time_point next_ OPTIMUX_GUARDED_BY(mutex_) = Clock::time_point::min();
  std::uint64_t unsaid_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
