#include "optimux/pool/timer_wheel.hpp"

#include <gtest/gtest.h>
#include <deque>
#include <map>
#include <random>

namespace optimux::pool {
namespace {

using detail::Posted;
using detail::PostedList;

const TimePoint kStart = TimePoint{} + std::chrono::hours(1);

struct Numbered : Timer {
  int number = 0;
};

std::vector<int> advance(TimerWheel& wheel, TimePoint now) {
  PostedList due;
  wheel.advance(now, due);
  std::vector<int> numbers;
  while (Posted* posted = due.pop()) numbers.push_back(static_cast<Numbered*>(posted)->number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(TimerWheel, FiresAtTheMomentAndNotBefore) {
  TimerWheel wheel;
  PostedList none;
  wheel.advance(kStart, none);
  Numbered timer;
  wheel.set(timer, kStart + Duration(1'000'001));
  EXPECT_TRUE(timer.is_set());
  EXPECT_TRUE(advance(wheel, kStart + Duration(1'000'000)).empty());
  EXPECT_EQ(wheel.next_due(), kStart + Duration(1'000'001));
  EXPECT_EQ(advance(wheel, kStart + Duration(1'000'001)), std::vector<int>{0});
  EXPECT_FALSE(timer.is_set());
  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(wheel.next_due(), kNever);
}

TEST(TimerWheel, APastMomentFiresWithTheNextAdvance) {
  TimerWheel wheel;
  PostedList none;
  wheel.advance(kStart, none);
  Numbered timer;
  wheel.set(timer, kStart - std::chrono::hours(1));
  EXPECT_EQ(advance(wheel, kStart), std::vector<int>{0});
}

TEST(TimerWheel, ReachesToTheEndOfTheClock) {
  TimerWheel wheel;
  PostedList none;
  wheel.advance(kStart, none);
  Numbered timer;
  wheel.set(timer, kNever - Duration(1));
  EXPECT_TRUE(advance(wheel, kStart + std::chrono::hours(24 * 365 * 200)).empty());
  EXPECT_EQ(advance(wheel, kNever - Duration(1)), std::vector<int>{0});
}

TEST(TimerWheel, ACancelledTimerDoesNotFireAndLeavesTheOthers) {
  TimerWheel wheel;
  std::array<Numbered, 3> timers;
  for (int i = 0; i < 3; ++i) {
    timers[static_cast<std::size_t>(i)].number = i;
    wheel.set(timers[static_cast<std::size_t>(i)], kStart);
  }
  wheel.cancel(timers[1]);
  wheel.cancel(timers[1]);
  EXPECT_EQ(wheel.size(), 2U);
  EXPECT_EQ(advance(wheel, kStart), (std::vector<int>{0, 2}));
}

TEST(TimerWheel, TakeAllGivesOutEverything) {
  TimerWheel wheel;
  std::array<Numbered, 4> timers;
  for (int i = 0; i < 4; ++i)
    wheel.set(timers[static_cast<std::size_t>(i)], kStart + std::chrono::minutes(1 << (4 * i)));
  PostedList all;
  wheel.take_all(all);
  int count = 0;
  for (; all.pop() != nullptr; ++count) {
  }
  EXPECT_EQ(count, 4);
  EXPECT_EQ(wheel.size(), 0U);
  for (const Numbered& timer : timers) EXPECT_FALSE(timer.is_set());
}

// Sets, cancels and lets time pass at random, next to an ordered map that does the same by comparing.
class TimerWheelProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  Duration random_span() {
    // Every magnitude from nanoseconds to weeks, so that every level is used, and round numbers for equal moments.
    const auto bits = std::uniform_int_distribution<int>(0, 50)(random_);
    const auto span = std::uniform_int_distribution<std::int64_t>(0, (std::int64_t{1} << bits))(random_);
    return Duration(span & ~((std::int64_t{1} << (bits / 2)) - 1));
  }
  void set_one() {
    Numbered& timer = timers_.emplace_back();
    timer.number = static_cast<int>(timers_.size() - 1);
    const TimePoint when = now_ + random_span() - Duration(1'000);
    wheel_.set(timer, when);
    reference_.emplace(when, timer.number);
  }
  void cancel_one() {
    if (reference_.empty()) return;
    const auto skip = std::uniform_int_distribution<std::size_t>(0, reference_.size() - 1)(random_);
    const auto at = std::next(reference_.begin(), static_cast<std::ptrdiff_t>(skip));
    wheel_.cancel(timers_[static_cast<std::size_t>(at->second)]);
    reference_.erase(at);
  }
  void pass_time() {
    const TimePoint first = reference_.empty() ? kNever : reference_.begin()->first;
    EXPECT_LE(wheel_.next_due(), first);
    now_ += random_span();
    std::vector<int> expected;
    while (!reference_.empty() && reference_.begin()->first <= now_) {
      expected.push_back(reference_.begin()->second);
      reference_.erase(reference_.begin());
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(advance(wheel_, now_), expected);
    ASSERT_EQ(wheel_.size(), reference_.size());
  }

  std::mt19937_64 random_{GetParam()};
  TimerWheel wheel_;
  std::deque<Numbered> timers_;
  std::multimap<TimePoint, int> reference_;
  TimePoint now_ = kStart;
};

TEST_P(TimerWheelProperty, FiresWhatAnOrderedMapWouldFire) {
  for (int i = 0; i < 5'000 && !HasFatalFailure(); ++i) {
    const auto what = std::uniform_int_distribution<int>(0, 9)(random_);
    if (what < 5) {
      set_one();
    } else if (what < 7) {
      cancel_one();
    } else {
      pass_time();
    }
  }
}

// Whoever sleeps until `next_due` and looks again gets to each timer in a bounded number of steps, and never late.
TEST_P(TimerWheelProperty, FollowingNextDueMissesNothing) {
  for (int i = 0; i < 300; ++i) set_one();
  for (int i = 0; i < 100; ++i) cancel_one();
  std::size_t steps = 0;
  while (wheel_.size() > 0) {
    ASSERT_LE(++steps, 300U * 8);
    const TimePoint due = wheel_.next_due();
    ASSERT_LE(due, reference_.begin()->first);
    now_ = std::max(now_, due);
    const std::size_t fired = advance(wheel_, now_).size();
    const auto end = reference_.upper_bound(now_);
    ASSERT_EQ(fired, static_cast<std::size_t>(std::distance(reference_.begin(), end)));
    reference_.erase(reference_.begin(), end);
  }
  EXPECT_TRUE(reference_.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimerWheelProperty, ::testing::Range(1U, 21U));

}  // namespace
}  // namespace optimux::pool
