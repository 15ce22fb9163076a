#include "optimux/pool/controller.hpp"

#include "optimux/pool/policies.hpp"

#include <gtest/gtest.h>
#include <functional>
#include <random>
#include <stdexcept>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kStart = TimePoint{} + std::chrono::hours(1);

/// A policy that says what the test says.
class Scripted final : public Policy {
 public:
  explicit Scripted(std::function<int(const Snapshot&)> target, Duration window = Duration::zero(), bool reacts = false)
      : target_(std::move(target)), window_(window), reacts_(reacts) {}
  [[nodiscard]] std::string_view name() const override { return "scripted"; }
  [[nodiscard]] Duration interval() const override { return seconds(1); }
  [[nodiscard]] Duration window() const override { return window_; }
  [[nodiscard]] bool reacts_to_submits() const override { return reacts_; }
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint /*now*/) const override {
    const int target = target_(snapshot);
    return {target, Reason::kCustom, target};
  }

 private:
  std::function<int(const Snapshot&)> target_;
  Duration window_;
  bool reacts_;
};

Controller wants(int target, Gate gate = {}) {
  return {std::make_shared<Scripted>([target](const Snapshot&) { return target; }), std::move(gate)};
}

Snapshot pool_of(int live) {
  Snapshot snapshot;
  snapshot.min_workers = 2;
  snapshot.max_workers = 10;
  snapshot.live = snapshot.total = live;
  snapshot.cpus = 4;
  return snapshot;
}

TEST(Controller, FollowsThePolicy) {
  const auto decision = wants(5).decide(pool_of(3), kStart);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->target, 5);
  EXPECT_EQ(decision->reason, Reason::kCustom);
  EXPECT_EQ(decision->policy, "scripted");
}

TEST(Controller, AsksThePolicyOnceAnInterval) {
  Controller controller = wants(5);
  EXPECT_TRUE(controller.decide(pool_of(5), kStart));
  EXPECT_FALSE(controller.decide(pool_of(5), kStart + milliseconds(999)));
  EXPECT_TRUE(controller.decide(pool_of(5), kStart + seconds(1)));
}

TEST(Controller, AsksAtOnceWhenSubmitsFoundNobodyIdleAndThePolicyCares) {
  for (const bool reacts : {false, true}) {
    Controller controller(std::make_shared<Scripted>([](const Snapshot& s) { return s.live + 1; }, seconds(0), reacts),
                          Gate());
    Snapshot snapshot = pool_of(3);
    EXPECT_TRUE(controller.decide(snapshot, kStart));
    snapshot.counters.found_nobody_idle = 1;
    EXPECT_EQ(controller.decide(snapshot, kStart + milliseconds(1)).has_value(), reacts);
    EXPECT_FALSE(controller.decide(snapshot, kStart + milliseconds(2))) << "the same submission counts once";
  }
}

TEST(Controller, RemembersWhatTheGateAllowedUntilGrowthIsNotWanted) {
  int target = 8;
  Controller controller(std::make_shared<Scripted>([&](const Snapshot&) { return target; }), Gate::cpu());
  EXPECT_GT(controller.memory().growth_limit, 1'000'000);
  controller.decide(pool_of(3), kStart);
  EXPECT_EQ(controller.memory().growth_limit, 4);
  target = 3;
  controller.decide(pool_of(3), kStart + milliseconds(1));
  EXPECT_EQ(controller.memory().growth_limit, 4) << "not asked";
  controller.decide(pool_of(3), kStart + seconds(1));
  EXPECT_GT(controller.memory().growth_limit, 1'000'000);
}

TEST(Controller, I1NeverWantsMoreThanTheCap) {
  const auto decision = wants(50).decide(pool_of(3), kStart);
  EXPECT_EQ(decision->target, 10);
  EXPECT_EQ(decision->reason, Reason::kAtMax);
}

TEST(Controller, I3NeverWantsLessThanTheFloor) {
  const auto decision = wants(0).decide(pool_of(3), kStart);
  EXPECT_EQ(decision->target, 2);
  EXPECT_EQ(decision->reason, Reason::kAtMin);
}

TEST(Controller, I3RefillsTheFloorOutsideOfTheInterval) {
  Controller controller = wants(5);
  controller.decide(pool_of(5), kStart);
  const auto decision = controller.decide(pool_of(1), kStart + milliseconds(1));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->target, 2);
  EXPECT_EQ(decision->reason, Reason::kFloorRefill);
  EXPECT_TRUE(decision->policy.empty());
}

TEST(Controller, ShrinksAtOnceWhenTheCapIsLowered) {
  Controller controller = wants(10);
  controller.decide(pool_of(10), kStart);
  Snapshot snapshot = pool_of(10);
  snapshot.max_workers = 4;
  const auto decision = controller.decide(snapshot, kStart + milliseconds(1));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->target, 4);
  EXPECT_EQ(decision->reason, Reason::kLimitLowered);
}

TEST(Controller, I10AClosedGateStopsGrowth) {
  Snapshot snapshot = pool_of(4);
  snapshot.in_flight = 4;
  const auto decision = wants(8, Gate::slots(4)).decide(snapshot, kStart);
  EXPECT_EQ(decision->target, 4);
  EXPECT_EQ(decision->reason, Reason::kGated);
  EXPECT_TRUE(decision->gate.closed);
  EXPECT_EQ(decision->verdict.target, 8) << "the wish stays on record";
}

TEST(Controller, I10OneStepCannotJumpOverTheGate) {
  Snapshot snapshot = pool_of(2);
  snapshot.in_flight = 2;
  const auto decision = wants(8, Gate::slots(4)).decide(snapshot, kStart);
  EXPECT_EQ(decision->target, 4);
  EXPECT_EQ(decision->reason, Reason::kGated);
}

TEST(Controller, I10TheFloorPassesAClosedGate) {
  const Gate closed = Gate::probe([](const Snapshot&) { return true; });
  const auto decision = wants(8, closed).decide(pool_of(0), kStart);
  EXPECT_EQ(decision->target, 2);
}

TEST(Controller, I10AGateDoesNotStopShrinking) {
  const Gate closed = Gate::probe([](const Snapshot&) { return true; });
  EXPECT_EQ(wants(3, closed).decide(pool_of(6), kStart)->target, 3);
}

TEST(Controller, JobsThatWaitGetAWorkerEvenWithoutAFloor) {
  Snapshot snapshot = pool_of(0);
  snapshot.min_workers = 0;
  EXPECT_EQ(wants(0).decide(snapshot, kStart)->target, 0);
  snapshot.queue_depth = 1;
  const auto decision = wants(0, Gate::probe([](const Snapshot&) { return true; })).decide(snapshot, kStart);
  EXPECT_EQ(decision->target, 1);
  EXPECT_EQ(decision->reason, Reason::kJobsWaiting);
}

TEST(Controller, I11NoShrinkingWithinTheWindowAfterAGrowth) {
  int wish = 8;
  Controller controller(std::make_shared<Scripted>([&](const Snapshot&) { return wish; }, seconds(30)), Gate());
  EXPECT_EQ(controller.decide(pool_of(4), kStart)->target, 8);
  wish = 4;
  const auto held = controller.decide(pool_of(8), kStart + seconds(29));
  EXPECT_EQ(held->target, 8);
  EXPECT_EQ(held->reason, Reason::kRecentPeak);
  EXPECT_EQ(controller.decide(pool_of(8), kStart + seconds(30))->target, 4);
}

TEST(Controller, RemembersThePeakOfTheWishesForTheWindow) {
  int wish = 8;
  std::vector<int> seen;
  Controller controller(std::make_shared<Scripted>(
                            [&](const Snapshot& snapshot) {
                              seen.push_back(snapshot.recent_peak);
                              return wish;
                            },
                            seconds(10)),
                        Gate());
  const auto decide_at = [&](int second, int next_wish) {
    wish = next_wish;
    (void)controller.decide(pool_of(5), kStart + seconds(second));
  };
  decide_at(0, 8);
  decide_at(1, 3);
  decide_at(2, 5);
  decide_at(10, 1);
  decide_at(11, 1);
  decide_at(13, 1);
  EXPECT_EQ(seen, (std::vector<int>{0, 8, 8, 8, 5, 1}));
}

/// Wants what the test says, and notes what it is told of its earlier wishes.
class TwoMemories final : public Policy {
 public:
  explicit TwoMemories(const int& wish) : wish_(wish) {}
  [[nodiscard]] std::string_view name() const override { return "two memories"; }
  [[nodiscard]] Duration interval() const override { return seconds(1); }
  [[nodiscard]] Duration peak_window() const override { return seconds(10); }
  [[nodiscard]] Duration short_peak_window() const override { return seconds(2); }
  [[nodiscard]] Verdict decide(const Snapshot& snapshot, TimePoint /*now*/) const override {
    seen_.emplace_back(snapshot.recent_peak, snapshot.latest_peak);
    return {wish_, Reason::kCustom, wish_};
  }
  [[nodiscard]] const std::vector<std::pair<int, int>>& seen() const { return seen_; }

 private:
  const int& wish_;
  mutable std::vector<std::pair<int, int>> seen_;
};

TEST(Controller, RemembersALongAndAShortPeak) {
  int wish = 0;
  const auto policy = std::make_shared<TwoMemories>(wish);
  Controller controller(policy, Gate());
  const auto decide_at = [&](int second, int next_wish) {
    wish = next_wish;
    (void)controller.decide(pool_of(5), kStart + seconds(second));
  };
  decide_at(0, 8);
  decide_at(2, 3);
  decide_at(3, 5);
  decide_at(5, 4);
  decide_at(6, 4);
  decide_at(9, 4);
  decide_at(11, 4);
  EXPECT_EQ(policy->seen(), (std::vector<std::pair<int, int>>{{0, 0}, {8, 8}, {8, 3}, {8, 5}, {8, 4}, {8, 0}, {5, 4}}));
  EXPECT_EQ(controller.memory().latest_peak, 4);
}

TEST(Controller, AThrowingPolicyOrGateChangesNothing) {
  const auto throws = [](const Snapshot&) -> int { throw std::runtime_error("no idea"); };
  Controller broken(std::make_shared<Scripted>(throws), Gate());
  EXPECT_EQ(broken.decide(pool_of(4), kStart)->target, 4);
  EXPECT_EQ(broken.decide(pool_of(4), kStart + seconds(1))->reason, Reason::kPolicyFailed);
  const Gate gate = Gate::probe([](const Snapshot&) -> bool { throw std::runtime_error("no idea"); });
  const auto decision = wants(8, gate).decide(pool_of(4), kStart);
  EXPECT_EQ(decision->target, 4);
  EXPECT_EQ(decision->reason, Reason::kPolicyFailed);
}

TEST(Controller, ADecisionCanBeReplayedFromWhatItHolds) {
  const auto policy = std::make_shared<LittlePolicy>();
  Controller controller(policy, Gate::cpu(1));
  std::mt19937 random(11);
  Snapshot snapshot = pool_of(2);
  for (int i = 0; i < 2'000; ++i) {
    snapshot.queue_depth = random() % 20;
    snapshot.in_flight = std::min(snapshot.live, static_cast<int>(random() % 12));
    snapshot.service_time = milliseconds(1 + random() % 900);
    snapshot.offered_load = static_cast<double>(random() % 120) / 10;
    const auto decision = controller.decide(snapshot, kStart + i * milliseconds(100));
    ASSERT_TRUE(decision);
    const Verdict again = policy->decide(decision->input, decision->at);
    ASSERT_EQ(again.target, decision->verdict.target);
    ASSERT_EQ(again.reason, decision->verdict.reason);
    snapshot.live = snapshot.total = decision->target;
  }
}

// The invariants over long random runs of every policy and several gates.
TEST(Controller, I1I3I10I11HoldOverRandomRuns) {
  const std::vector<std::shared_ptr<const Policy>> policies = {
      std::make_shared<LittlePolicy>(), std::make_shared<SpawnOnSubmitPolicy>(), std::make_shared<QueueLengthPolicy>(),
      std::make_shared<Scripted>([](const Snapshot& s) { return static_cast<int>(s.queue_depth) - 5; }, seconds(7))};
  for (const auto& policy : policies) {
    std::mt19937 random(5);
    Controller controller(policy, Gate::slots(6));
    Snapshot snapshot = pool_of(2);
    TimePoint now = kStart;
    TimePoint grown_at{};
    for (int i = 0; i < 20'000; ++i) {
      now += milliseconds(1 + random() % 400);
      snapshot.queue_depth = random() % 3 == 0 ? 0 : random() % 40;
      snapshot.in_flight = std::min(snapshot.live, static_cast<int>(random() % 12));
      snapshot.counters.found_nobody_idle += random() % 3;
      snapshot.service_time = milliseconds(random() % 900);
      snapshot.offered_load = static_cast<double>(random() % 120) / 10;
      snapshot.longest_idle = milliseconds(random() % 15'000);
      if (random() % 50 == 0) snapshot.live = static_cast<int>(random() % 3);  // a crash storm
      const auto decision = controller.decide(snapshot, now);
      if (!decision) continue;
      ASSERT_LE(decision->target, 10) << "I1";
      ASSERT_GE(decision->target, 2) << "I3";
      const bool refill = snapshot.live < 2;
      if (decision->target > snapshot.live && !refill) {
        ASSERT_LT(snapshot.in_flight, 6) << "I10";
      }
      if (decision->target > snapshot.live && decision->reason != Reason::kFloorRefill) grown_at = now;
      if (decision->target < snapshot.live && grown_at != TimePoint{}) {
        ASSERT_GE(now - grown_at, policy->window()) << "I11 " << policy->name();
      }
      snapshot.live = snapshot.total = decision->target;
    }
  }
}

}  // namespace
}  // namespace optimux::pool
