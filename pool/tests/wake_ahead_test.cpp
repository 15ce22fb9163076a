#include "optimux/pool/detail/wake_ahead.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::detail {
namespace {

using std::chrono::microseconds;

constexpr TimePoint kStart = TimePoint{} + std::chrono::hours(1);

/// A thread whose sleeps end `late` after what it asked for.
class SleepyThread {
 public:
  /// Works for `work`, in which `timers` fire, then rests until `due`; returns how long it slept.
  Duration round(Duration work, std::size_t timers, Duration until_due, Duration late) {
    now_ += work;
    ahead.fired(timers);
    const TimePoint due = now_ + until_due;
    const TimePoint until = ahead.rest_until(now_, due);
    const Duration slept = until - now_;
    if (until > now_) ahead.overslept(until + late, until);
    now_ = std::max(due, until > now_ ? until + late : now_);
    return slept;
  }
  [[nodiscard]] TimePoint now() const { return now_; }
  WakeAhead ahead;

 private:
  TimePoint now_ = kStart;
};

TEST(WakeAhead, ThreadsWithFewTimersSleepUntilTheyAreDue) {
  SleepyThread thread;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(thread.round(microseconds(1), WakeAhead::kMany - 1, microseconds(900), microseconds(50)),
              microseconds(900));
  }
}

TEST(WakeAhead, WhereManyTimersFireItWakesEarlierByWhatItWasLate) {
  SleepyThread thread;
  Duration slept{};
  for (int i = 0; i < 100; ++i) slept = thread.round(microseconds(100), 1000, microseconds(900), microseconds(50));
  EXPECT_GE(slept, microseconds(850));
  EXPECT_LE(slept, microseconds(851));
}

TEST(WakeAhead, HavingBeenKeptWaitingByOthersDoesNotMakeItWakeMuchEarlier) {
  SleepyThread thread;
  Duration slept{};
  for (int i = 0; i < 100; ++i) slept = thread.round(microseconds(100), 1000, microseconds(900), microseconds(5000));
  EXPECT_GE(slept, microseconds(900) - WakeAhead::kLongestLead);
}

TEST(WakeAhead, ShortGapsAreWaitedThroughAwakeForNoLongerThanWasWorked) {
  SleepyThread thread;
  for (int i = 0; i < 100; ++i) thread.round(microseconds(100), 1000, microseconds(900), microseconds(50));
  // From here on it is awake. Gaps of 20 us after work of 10 us: two while the lead lasts, none beyond the work.
  Duration awake{};
  Duration worked{};
  while (thread.round(microseconds(10), 10, microseconds(20), microseconds(50)) == Duration::zero()) {
    awake += microseconds(20);
    worked += microseconds(10);
    ASSERT_LE(awake, std::max(worked, Duration(WakeAhead::kLongestLead)));
  }
  EXPECT_GE(awake, microseconds(40));
}

TEST(WakeAhead, AGapThatIsWaitedThroughAwakeCountsOnce) {
  WakeAhead ahead;
  for (int i = 0; i < 100; ++i) {
    ahead.fired(1000);
    ahead.rest_until(kStart, kStart + microseconds(900));
    ahead.overslept(kStart + microseconds(50), kStart);
  }
  const TimePoint due = kStart + microseconds(90);
  for (TimePoint now = kStart + microseconds(50); now < due; now += microseconds(1)) {
    EXPECT_EQ(ahead.rest_until(now, due), now);
  }
}

TEST(WakeAhead, WithoutATimerItSleepsUntilItIsWoken) {
  WakeAhead ahead;
  ahead.fired(1000);
  EXPECT_EQ(ahead.rest_until(kStart, kNever), kNever);
}

}  // namespace
}  // namespace optimux::pool::detail
