/// \file
/// How long a loop thread sleeps before its next timer.
#pragma once

#include "optimux/pool/clock.hpp"

#include <algorithm>
#include <cstddef>

namespace optimux::pool::detail {

/// The kernel ends a sleep late: by some 50 us where a CPU of a virtual machine that has nothing to do must be woken
/// first. Whatever is due by then is late with it, so that of coroutines that sleep for a millisecond each does 5 %
/// less. Where many timers fire between two sleeps the thread therefore wakes earlier, by what it was late before, and
/// waits for the rest awake; so it does in gaps that are no longer than that. In all it waits awake no longer than it
/// has worked since it last slept, or than one such lead. Where few timers fire it does not: a CPU is worth more than
/// their being on time. Not thread-safe.
class WakeAhead {
 public:
  /// So many timers have to fire between two sleeps.
  static constexpr std::size_t kMany = 16;
  /// A thread that wakes later than this has been kept waiting by others, and waking it sooner would not help.
  static constexpr Duration kLongestLead = std::chrono::microseconds(100);

  /// So many timers have fired.
  void fired(std::size_t timers) { fired_ += timers; }

  /// There is nothing to do from `now` until `due`, which is later. Returns until when to sleep; `now` when the thread
  /// is to stay awake and to look again.
  TimePoint rest_until(TimePoint now, TimePoint due) {
    if (due == awaited_) return now;
    const Duration gap = due - now;
    if (due != kNever && gap <= lead_ && waited_ + gap <= std::max(lead_, now - woken_at_ - waited_)) {
      awaited_ = due;
      waited_ += gap;
      return now;
    }
    lead_ = fired_ >= kMany ? late_ : Duration::zero();
    fired_ = 0;
    return due != kNever && gap > lead_ ? due - lead_ : due;
  }

  /// The thread woke at `now` from a sleep that should have ended at `until` and was not cut short.
  void overslept(TimePoint now, TimePoint until) {
    const Duration late = std::clamp(now - until, Duration::zero(), kLongestLead);
    late_ += (late - late_) / 8;
    woke(now);
  }
  /// The thread woke at `now`.
  void woke(TimePoint now) {
    woken_at_ = now;
    waited_ = Duration::zero();
    awaited_ = {};
  }

 private:
  Duration late_{};        // how much sleeps ended late, of late
  Duration lead_{};        // what the last sleep ended earlier
  std::size_t fired_ = 0;  // since the last sleep
  TimePoint woken_at_{};   // from it
  Duration waited_{};      // awake, since then
  TimePoint awaited_{};    // the moment that is waited for awake
};

}  // namespace optimux::pool::detail
