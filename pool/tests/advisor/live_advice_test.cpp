#include "advisor/live_advice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::pool::advisor {
namespace {

Snapshot loaded(double rate, double service_seconds, int max_workers) {
  Snapshot snapshot;
  snapshot.min_workers = 1;
  snapshot.max_workers = max_workers;
  snapshot.live = max_workers;
  snapshot.cpus = 4;
  snapshot.arrival_rate = rate;
  snapshot.service_time = from_seconds(service_seconds);
  return snapshot;
}

const GateAnswer kFourCpus{.closed = false, .useful_workers = 4};

TEST(LiveAdvice, OnAnIdlePoolSaysNothing) {
  const LiveAdvice never = advise(loaded(0, 0, 4), kFourCpus);
  EXPECT_EQ(never.verdict, LiveVerdict::kIdle);
  EXPECT_EQ(never.workers, 0);
  EXPECT_EQ(advise(loaded(0, 0.1, 4), kFourCpus).verdict, LiveVerdict::kIdle);
}

TEST(LiveAdvice, LeavesLimitsThatFit) {
  const LiveAdvice advice = advise(loaded(20, 0.1, 4), kFourCpus);
  EXPECT_EQ(advice.verdict, LiveVerdict::kRight);
  EXPECT_DOUBLE_EQ(advice.busy, 2);
  EXPECT_EQ(advice.workers, 3);  // 2 / 0.8, rounded up.
  EXPECT_DOUBLE_EQ(advice.utilisation, 0.5);
  EXPECT_EQ(
      advice.text,
      "20.0 jobs/s x 100 ms keep 2.00 workers busy: 3 workers wanted. Up to 4 are allowed: leave the limits as they "
      "are.");
}

TEST(LiveAdvice, RaisesACapThatIsBelowBothLoadAndGate) {
  const LiveAdvice advice = advise(loaded(30, 0.1, 2), kFourCpus);
  EXPECT_EQ(advice.verdict, LiveVerdict::kRaiseCap);
  EXPECT_EQ(advice.workers, 4);
  EXPECT_NE(advice.text.find("raise the cap to 4"), std::string::npos) << advice.text;
}

TEST(LiveAdvice, NeverAdvisesMoreThanTheGateCallsUseful) {
  const LiveAdvice advice = advise(loaded(300, 0.1, 2), kFourCpus);
  EXPECT_EQ(advice.verdict, LiveVerdict::kRaiseCap);
  EXPECT_NE(advice.text.find("raise the cap to 4"), std::string::npos) << advice.text;
}

TEST(LiveAdvice, AsksForCpusWhereTheGateIsTheLimit) {
  const LiveAdvice advice = advise(loaded(60, 0.1, 4), {.closed = true, .useful_workers = 4});
  EXPECT_EQ(advice.verdict, LiveVerdict::kAddCpus);
  EXPECT_TRUE(advice.is_gated);
  EXPECT_DOUBLE_EQ(advice.utilisation, 1.5);
}

TEST(LiveAdvice, CountsTheQueue) {
  Snapshot snapshot = loaded(0, 0.1, 4);
  snapshot.queue_depth = 25;
  const LiveAdvice advice = advise(snapshot, kFourCpus);
  EXPECT_EQ(advice.workers, 3);  // 25 jobs of 0.1 s within a second.
  EXPECT_NE(advice.text.find("25 jobs wait"), std::string::npos) << advice.text;
}

TEST(LiveAdvice, SeesWorkersThatAreHeld) {
  Snapshot snapshot = loaded(1, 0.1, 4);
  snapshot.queue_depth = 10;
  snapshot.overrunning = 4;
  EXPECT_EQ(advise(snapshot, kFourCpus).verdict, LiveVerdict::kStuckJobs);
  snapshot.overrunning = 3;
  EXPECT_EQ(advise(snapshot, kFourCpus).verdict, LiveVerdict::kRight);
}

TEST(LiveAdvice, TakesTheRunTimeWhileTheServiceTimeIsUnknown) {
  Snapshot snapshot = loaded(20, 0, 4);
  snapshot.run_time = from_seconds(0.1);
  EXPECT_EQ(advise(snapshot, kFourCpus).workers, 3);
}

RC_GTEST_PROP(LiveAdvice, WantsNoFewerWorkersForMoreLoad, ()) {
  const double rate = *rc::gen::inRange(1, 1000) * 1.0;
  const double more = rate + *rc::gen::inRange(0, 1000);
  RC_ASSERT(advise(loaded(more, 0.05, 4), kFourCpus).workers >= advise(loaded(rate, 0.05, 4), kFourCpus).workers);
}

}  // namespace
}  // namespace optimux::pool::advisor
