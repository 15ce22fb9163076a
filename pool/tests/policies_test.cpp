#include "optimux/pool/policies.hpp"

#include <gtest/gtest.h>
#include <random>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kNow = TimePoint{} + std::chrono::hours(1);

Snapshot with(int live, std::size_t queued = 0) {
  Snapshot snapshot;
  snapshot.at = kNow;
  snapshot.min_workers = 1;
  snapshot.max_workers = 100;
  snapshot.live = snapshot.total = live;
  snapshot.queue_depth = queued;
  snapshot.queue_capacity = 1024;
  return snapshot;
}

Limits limits() {
  return {1, 100, 1024};
}

TEST(QueueLengthPolicy, GrowsAboveAndShrinksBelowItsThresholdsByOne) {
  const QueueLengthPolicy policy;
  EXPECT_EQ(policy.decide(with(3, 11), kNow).target, 4);
  EXPECT_EQ(policy.decide(with(3, 11), kNow).reason, Reason::kQueueLong);
  EXPECT_EQ(policy.decide(with(3, 10), kNow).target, 3);
  EXPECT_EQ(policy.decide(with(3, 1), kNow).target, 3);
  EXPECT_EQ(policy.decide(with(3, 0), kNow).target, 2);
  EXPECT_EQ(policy.decide(with(3, 0), kNow).reason, Reason::kQueueShort);
}

TEST(QueueLengthPolicy, I11LeavesThePoolAloneDuringTheCooldown) {
  const QueueLengthPolicy policy;
  Snapshot snapshot = with(3, 500);
  snapshot.last_scaled_at = kNow - seconds(29);
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 3);
  EXPECT_EQ(policy.decide(snapshot, kNow).reason, Reason::kCooldown);
  snapshot.last_scaled_at = kNow - seconds(30);
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 4);
}

TEST(QueueLengthPolicy, RefusesAThresholdThatCouldNeverShrink) {
  QueueLengthPolicy::Options options;
  options.scale_down_threshold = 0;
  const auto error = QueueLengthPolicy(options).validate(limits());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "policy.scale_down_threshold");
}

TEST(QueueLengthPolicy, RefusesOtherImpossibleSettings) {
  const auto field = [](auto change) {
    QueueLengthPolicy::Options options;
    change(options);
    const auto error = QueueLengthPolicy(options).validate(limits());
    return error ? error->field : "";
  };
  EXPECT_EQ(field([](auto& o) { o.scale_up_threshold = 1024; }), "policy.scale_up_threshold");
  EXPECT_EQ(field([](auto& o) { o.scale_down_threshold = 11; }), "policy.scale_down_threshold");
  EXPECT_EQ(field([](auto& o) { o.check_interval = Duration::zero(); }), "policy.check_interval");
  EXPECT_EQ(field([](auto& o) { o.cooldown = Duration(-1); }), "policy.cooldown");
  EXPECT_EQ(field([](auto&) {}), "");
}

TEST(SpawnOnSubmitPolicy, AddsOneForEachJobThatFoundNobodyIdleAndStillWaits) {
  const SpawnOnSubmitPolicy policy;
  Snapshot snapshot = with(2, 5);
  snapshot.unmet_submits = 3;
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 5);
  snapshot.queue_depth = 1;
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 3);
  EXPECT_EQ(policy.decide(snapshot, kNow).reason, Reason::kNobodyIdle);
  snapshot.queue_depth = 0;
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 2);
}

TEST(SpawnOnSubmitPolicy, RemovesOneAfterTheIdleTime) {
  const SpawnOnSubmitPolicy policy;
  Snapshot snapshot = with(2);
  snapshot.longest_idle = milliseconds(9'999);
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 2);
  snapshot.longest_idle = seconds(10);
  EXPECT_EQ(policy.decide(snapshot, kNow).target, 1);
  EXPECT_EQ(policy.decide(snapshot, kNow).reason, Reason::kIdleTooLong);
}

TEST(SpawnOnSubmitPolicy, RefusesImpossibleTimes) {
  EXPECT_EQ(SpawnOnSubmitPolicy({Duration::zero(), seconds(1)}).validate(limits())->field, "policy.idle_time");
  EXPECT_EQ(SpawnOnSubmitPolicy({seconds(1), Duration::zero()}).validate(limits())->field, "policy.check_interval");
}

Snapshot loaded(int live, double offered, std::size_t queued = 0) {
  Snapshot snapshot = with(live, queued);
  snapshot.service_time = milliseconds(500);
  snapshot.offered_load = offered;
  return snapshot;
}

TEST(LittlePolicy, FollowsLittlesLawWithHeadRoom) {
  const LittlePolicy policy;
  EXPECT_EQ(policy.decide(loaded(1, 4), kNow).target, 5);  // 4 / 0.8
  EXPECT_EQ(policy.decide(loaded(1, 4), kNow).reason, Reason::kLoadRose);
}

TEST(LittlePolicy, AddsTheWorkersThatEmptyTheQueueInTime) {
  EXPECT_EQ(LittlePolicy().decide(loaded(1, 4, 6), kNow).target, 7);  // 5 + 6 x 0.5 s / 2 s
}

TEST(LittlePolicy, IgnoresSmallDifferences) {
  const Verdict up = LittlePolicy().decide(loaded(10, 8.7), kNow);
  EXPECT_EQ(up.target, 10);
  EXPECT_EQ(up.reason, Reason::kDeadBand);
  const Verdict down = LittlePolicy().decide(loaded(10, 7.3), kNow);
  EXPECT_EQ(down.target, 10);
  EXPECT_EQ(down.reason, Reason::kDeadBand);
}

TEST(LittlePolicy, I11DoesNotShrinkBelowTheRecentPeak) {
  Snapshot snapshot = loaded(10, 2);
  snapshot.recent_peak = 10;
  snapshot.latest_peak = 5;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 10);
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).reason, Reason::kRecentPeak);
  snapshot.recent_peak = 9;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 9);
}

TEST(LittlePolicy, FollowsALoadThatHasCollapsed) {
  Snapshot snapshot = loaded(10, 2);
  snapshot.recent_peak = 10;
  snapshot.latest_peak = 4;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 8) << "in steps";
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).reason, Reason::kLoadFell);
  snapshot.live = snapshot.total = 5;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 5) << "4 of 5 is no collapse";
  snapshot = loaded(10, 3.5);  // wants 5
  snapshot.recent_peak = 10;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 10) << "what is wanted now counts as well";
}

TEST(LittlePolicy, ShrinksByAtMostAQuarterAStep) {
  EXPECT_EQ(LittlePolicy().decide(loaded(40, 4), kNow).target, 30);
  EXPECT_EQ(LittlePolicy().decide(loaded(40, 4), kNow).reason, Reason::kLoadFell);
  EXPECT_EQ(LittlePolicy().decide(loaded(3, 0), kNow).target, 2) << "but by at least one";
}

TEST(LittlePolicy, DoublesWhileNothingIsKnownAndJobsWait) {
  Snapshot snapshot = with(2, 20);
  snapshot.in_flight = 2;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 4);
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).reason, Reason::kColdStart);
  snapshot.queue_depth = 1;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 3);
  snapshot.queue_depth = 0;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 2);
  snapshot.in_flight = 0;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 1) << "without work there is no need";
}

TEST(LittlePolicy, AddsAWorkerForWaitingJobsWhenEveryOtherIsStuck) {
  Snapshot snapshot = loaded(1, .01, 1);
  snapshot.service_time = milliseconds(5);
  snapshot.in_flight = 1;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 1) << "a worker that is back in 5 ms is enough";
  snapshot.overrunning = 1;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 2);
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).reason, Reason::kLoadRose);
  snapshot.queue_depth = 0;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 1) << "nobody waits";
  snapshot.queue_depth = 1;
  snapshot.live = snapshot.in_flight = 2;
  EXPECT_EQ(LittlePolicy().decide(snapshot, kNow).target, 1) << "one of the two is not stuck";
}

TEST(LittlePolicy, RefusesImpossibleSettings) {
  const auto field = [](auto change) {
    LittlePolicy::Options options;
    change(options);
    const auto error = LittlePolicy(options).validate(limits());
    return error ? error->field : "";
  };
  EXPECT_EQ(field([](auto& o) { o.utilisation = 0; }), "policy.utilisation");
  EXPECT_EQ(field([](auto& o) { o.utilisation = 1.1; }), "policy.utilisation");
  EXPECT_EQ(field([](auto& o) { o.drain_time = Duration::zero(); }), "policy.drain_time");
  EXPECT_EQ(field([](auto& o) { o.dead_band = 1; }), "policy.dead_band");
  EXPECT_EQ(field([](auto& o) { o.largest_shrink = 0; }), "policy.largest_shrink");
  EXPECT_EQ(field([](auto& o) { o.stable_window = Duration(-1); }), "policy.stable_window");
  EXPECT_EQ(field([](auto& o) { o.collapse = 1; }), "policy.collapse");
  EXPECT_EQ(field([](auto& o) { o.collapse_window = milliseconds(99); }), "policy.collapse_window");
  EXPECT_EQ(field([](auto& o) { o.settle_time = Duration(-1); }), "policy.settle_time");
  EXPECT_EQ(field([](auto& o) { o.check_interval = Duration::zero(); }), "policy.check_interval");
  EXPECT_EQ(field([](auto&) {}), "");
}

TEST(FixedPolicy, WantsItsNumber) {
  EXPECT_EQ(FixedPolicy(7).decide(with(3, 500), kNow).target, 7);
  EXPECT_FALSE(FixedPolicy(7).validate(limits()));
  EXPECT_EQ(FixedPolicy(0).validate(limits())->field, "policy.workers");
  EXPECT_EQ(FixedPolicy(101).validate(limits())->field, "policy.workers");
}

// Purity and sanity of all policies over many random snapshots.
TEST(Policies, ArePureAndNeverWantLessThanAStepAllows) {
  const QueueLengthPolicy queue_length;
  const SpawnOnSubmitPolicy spawn;
  const LittlePolicy little;
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    Snapshot snapshot = with(static_cast<int>(random() % 100), random() % 1024);
    snapshot.in_flight = static_cast<int>(random() % (static_cast<unsigned>(snapshot.live) + 1));
    snapshot.overrunning = static_cast<int>(random() % (static_cast<unsigned>(snapshot.in_flight) + 1));
    snapshot.service_time = milliseconds(random() % 3 == 0 ? 0 : random() % 5000);
    snapshot.offered_load = static_cast<double>(random() % 2000) / 10;
    snapshot.recent_peak = static_cast<int>(random() % 120);
    snapshot.latest_peak = static_cast<int>(random() % (static_cast<unsigned>(snapshot.recent_peak) + 1));
    snapshot.unmet_submits = random() % 50;
    snapshot.longest_idle = milliseconds(random() % 20'000);
    for (const Policy* policy : {static_cast<const Policy*>(&queue_length), static_cast<const Policy*>(&spawn),
                                 static_cast<const Policy*>(&little)}) {
      const Verdict verdict = policy->decide(snapshot, kNow);
      const Verdict again = policy->decide(snapshot, kNow);
      ASSERT_EQ(verdict.target, again.target);
      ASSERT_EQ(verdict.reason, again.reason);
      ASSERT_GE(verdict.target, snapshot.live - std::max(1, snapshot.live / 4)) << policy->name();
    }
    const int target = little.decide(snapshot, kNow).target;
    const bool collapsed = snapshot.latest_peak <= 0.4 * snapshot.live;
    const int peak = collapsed ? snapshot.latest_peak : snapshot.recent_peak;
    ASSERT_TRUE(target >= snapshot.live || target >= peak) << "I11";
  }
}

// More load never means fewer workers.
TEST(LittlePolicy, IsMonotonousInLoadAndQueue) {
  const LittlePolicy policy;
  for (int live = 1; live < 60; live += 7) {
    int before = 0;
    for (double offered = 0; offered < 80; offered += 0.25) {
      const int target = policy.decide(loaded(live, offered), kNow).target;
      ASSERT_GE(target, before);
      before = target;
    }
    before = 0;
    for (std::size_t queued = 0; queued < 200; ++queued) {
      const int target = policy.decide(loaded(live, 3, queued), kNow).target;
      ASSERT_GE(target, before);
      before = target;
    }
  }
}

TEST(Reason, EveryOneHasAName) {
  for (int reason = 0; reason <= static_cast<int>(Reason::kPolicyFailed); ++reason) {
    EXPECT_NE(to_string(static_cast<Reason>(reason)), "unknown");
  }
}

}  // namespace
}  // namespace optimux::pool
