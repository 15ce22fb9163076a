#include "optimux/pool/snapshot.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;

Snapshot busy(int live, std::size_t queued) {
  Snapshot snapshot;
  snapshot.live = live;
  snapshot.queue_depth = queued;
  snapshot.run_time = milliseconds(100);
  return snapshot;
}

TEST(ExpectedWait, IsNothingWhenSomebodyIsIdle) {
  Snapshot snapshot = busy(4, 0);
  snapshot.idle = 1;
  EXPECT_EQ(expected_wait(snapshot), Duration::zero());
}

TEST(ExpectedWait, IsTheTimeOfTheJobsAheadOverTheWorkers) {
  EXPECT_NEAR(to_seconds(expected_wait(busy(4, 0))), .025, 1e-9);
  EXPECT_NEAR(to_seconds(expected_wait(busy(4, 19))), .5, 1e-9);
  EXPECT_NEAR(to_seconds(expected_wait(busy(0, 1))), .2, 1e-9);
}

TEST(ExpectedWait, IdleWorkersThatAreSpokenForDoNotCount) {
  Snapshot snapshot = busy(2, 3);
  snapshot.idle = 2;
  EXPECT_GT(expected_wait(snapshot), Duration::zero());
}

TEST(ExpectedWait, LongJobsInFlightTellWhatEndedOnesDoNot) {
  Snapshot snapshot = busy(1, 0);
  snapshot.run_time = Duration::zero();
  EXPECT_EQ(expected_wait(snapshot), Duration::zero());
  snapshot.in_flight_age = milliseconds(300);
  EXPECT_EQ(expected_wait(snapshot), Duration(milliseconds(300)));
}

}  // namespace
}  // namespace optimux::pool
