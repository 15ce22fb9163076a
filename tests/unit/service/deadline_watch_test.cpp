#include "service/deadline_watch.hpp"

#include <chrono>
#include <future>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using base::Deadline;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST(DeadlineWatch, CallsWhatHasPassedAtOnce) {
  DeadlineWatch watch;
  std::promise<void> called;
  EXPECT_NE(watch.add(Deadline(Deadline::Clock::now()), [&] { called.set_value(); }), 0U);
  called.get_future().get();
}

TEST(DeadlineWatch, CallsNoEarlierThanTheDeadline) {
  DeadlineWatch watch;
  const Deadline deadline = Deadline::after(milliseconds(5));
  std::promise<bool> had_passed;
  watch.add(deadline, [&] { had_passed.set_value(deadline.has_passed()); });
  EXPECT_TRUE(had_passed.get_future().get());
}

TEST(DeadlineWatch, AnEarlierOneOvertakesALaterOne) {
  DeadlineWatch watch;
  watch.add(Deadline::after(hours(1)), [] { FAIL(); });
  std::promise<void> called;
  watch.add(Deadline::after(milliseconds(1)), [&] { called.set_value(); });
  called.get_future().get();
}

TEST(DeadlineWatch, CallsInTheOrderOfTime) {
  DeadlineWatch watch;
  const auto now = Deadline::Clock::now();
  std::vector<int> order;
  std::promise<void> last;
  watch.add(Deadline(now + milliseconds(6)), [&] {
    order.push_back(2);
    last.set_value();
  });
  watch.add(Deadline(now + milliseconds(3)), [&] { order.push_back(1); });
  last.get_future().get();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(DeadlineWatch, WhatIsRemovedIsNotCalled) {
  DeadlineWatch watch;
  const auto now = Deadline::Clock::now();
  const auto removed = watch.add(Deadline(now + milliseconds(20)), [] { FAIL(); });
  watch.remove(removed);
  watch.remove(removed);
  watch.remove(0);
  std::promise<void> later;
  watch.add(Deadline(now + milliseconds(21)), [&] { later.set_value(); });
  later.get_future().get();
}

TEST(DeadlineWatch, NeverIsNotKept) {
  DeadlineWatch watch;
  EXPECT_EQ(watch.add(Deadline::never(), [] { FAIL(); }), 0U);
}

TEST(DeadlineWatch, ACallbackMayAddAndRemove) {
  DeadlineWatch watch;
  std::promise<void> second;
  const auto other = watch.add(Deadline::after(hours(1)), [] { FAIL(); });
  watch.add(Deadline(Deadline::Clock::now()), [&] {
    watch.remove(other);
    watch.add(Deadline(Deadline::Clock::now()), [&] { second.set_value(); });
  });
  second.get_future().get();
}

TEST(DeadlineWatch, StopForgetsAllAndMayBeRepeated) {
  DeadlineWatch watch;
  watch.add(Deadline::after(hours(1)), [] { FAIL(); });
  watch.stop();
  watch.add(Deadline(Deadline::Clock::now()), [] { FAIL(); });
  watch.stop();
}

}  // namespace
}  // namespace optimux::service
