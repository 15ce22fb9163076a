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
  snapshot.in_flight = snapshot.overrunning = 1;
  snapshot.in_flight_age = milliseconds(300);
  EXPECT_EQ(expected_wait(snapshot), Duration(milliseconds(300)));
}

/// All workers that there may be are busy, each with a job of 100 ms.
Snapshot saturated(int workers, std::size_t queued) {
  Snapshot snapshot = busy(workers, queued);
  snapshot.most_live = snapshot.in_flight = workers;
  snapshot.in_flight_age = milliseconds(50);
  return snapshot;
}

TEST(ExpectedWait, IsNothingWhileAWorkerCanBeStartedForTheJob) {
  Snapshot snapshot = saturated(1, 0);
  snapshot.in_flight_age = std::chrono::minutes(1);
  snapshot.overrunning = 1;
  snapshot.most_live = 3;
  EXPECT_EQ(expected_wait(snapshot), Duration::zero());
  snapshot.queue_depth = 1;
  EXPECT_EQ(expected_wait(snapshot), Duration::zero());
  snapshot.queue_depth = 2;
  EXPECT_GT(expected_wait(snapshot), Duration::zero()) << "the two that can be started are spoken for";
}

TEST(ExpectedWait, WorkersOnTheirWayOutTakeNoJob) {
  Snapshot snapshot = saturated(1, 0);
  snapshot.retiring = 2;
  snapshot.in_flight = 3;
  EXPECT_EQ(expected_wait(snapshot), Duration(milliseconds(100)));
}

TEST(ExpectedWait, OneStuckJobCostsOneWorkerAndNoMore) {
  Snapshot snapshot = saturated(4, 29);
  EXPECT_NEAR(to_seconds(expected_wait(snapshot)), .75, 1e-9);
  snapshot.overrunning = 1;
  snapshot.in_flight_age = std::chrono::seconds(15);  // the stuck one has been at it for a minute
  EXPECT_NEAR(to_seconds(expected_wait(snapshot)), 1, 1e-9);
}

TEST(ExpectedWait, WithEveryWorkerStuckTheirAgeIsWhatIsKnown) {
  Snapshot snapshot = saturated(4, 3);
  snapshot.overrunning = 4;
  snapshot.in_flight_age = std::chrono::seconds(15);
  EXPECT_EQ(expected_wait(snapshot), Duration(std::chrono::seconds(15)));
}

}  // namespace
}  // namespace optimux::pool
