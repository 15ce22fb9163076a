// Growing and shrinking with real threads, under a clock that the test moves (semantics 2 to 5, 10 and 11).

#include "support/tasks.hpp"

#include <atomic>
#include <set>

namespace optimux::pool::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Scaling : public ManualPool {
 protected:
  void use(std::shared_ptr<const Policy> policy, int min, int max) {
    config_.policy = std::move(policy);
    config_.min_workers = min;
    config_.max_workers = max;
  }
  /// A job that waits at the valve or until it is told to stop.
  void submit_blocking(int jobs) {
    for (int i = 0; i < jobs; ++i) {
      ASSERT_EQ(pool().try_submit(Task([this](const JobContext&) { valve_.wait(); })), Answer::kAccepted);
    }
  }
};

TEST_F(Scaling, SpawnOnSubmitFollowsItsSubmitters) {
  use(std::make_shared<SpawnOnSubmitPolicy>(), 1, 8);
  occupy();
  submit_blocking(3);
  pool().step();
  valve_.until_waiting(4);
  EXPECT_EQ(pool().snapshot().live, 4);
  EXPECT_EQ(pool().decisions().back().reason, Reason::kNobodyIdle);
  valve_.open();
  until_idle(4);
  step_after(seconds(10));
  step_until([](const Snapshot& snapshot) { return snapshot.total == 3; });
  EXPECT_EQ(pool().snapshot().counters.workers_retired, 1U);
}

TEST_F(Scaling, S3I5TheNewestLeavesFirst) {
  class Watcher final : public Observer {
   public:
    void on_worker_exited(WorkerIndex worker, const WorkerExit& exit) override {
      if (exit.kind == ExitKind::kRetired) left.push_back(worker);
    }
    std::vector<WorkerIndex> left;  // touched by the thread that steps, which is the test's
  };
  const auto watcher = std::make_shared<Watcher>();
  config_.observer = watcher;
  fix(4);
  pool();
  until_idle(4);
  for (int cap = 3; cap >= 1; --cap) {
    pool().set_limits({1, cap, 10});
    step_until([&](const Snapshot& snapshot) { return snapshot.total == cap; });
  }
  EXPECT_EQ(watcher->left, (std::vector<WorkerIndex>{3, 2, 1}));
}

TEST_F(Scaling, S3AParkedWorkerLeavesWithoutTakingAnotherJob) {
  fix(2);
  std::atomic<int> ran_by_newest{0};
  pool();
  until_idle(2);
  pool().set_limits({1, 1, 100});
  pool().step();
  for (int i = 0; i < 50; ++i) {
    pool().submit(Task([&](const JobContext& context) { ran_by_newest += context.worker == 1 ? 1 : 0; }));
  }
  pool().drain();
  EXPECT_EQ(ran_by_newest, 0);
  step_until([](const Snapshot& snapshot) { return snapshot.total == 1; });
}

TEST_F(Scaling, S3ABusyWorkerLeavesAfterItsJobAndTakesNoOther) {
  fix(2);
  occupy(2);
  pool().set_limits({1, 1, 100});
  pool().step();
  EXPECT_EQ(pool().snapshot().retiring, 1);
  std::atomic<int> ran_by_newest{0};
  for (int i = 0; i < 20; ++i) {
    pool().try_submit(Task([&](const JobContext& context) { ran_by_newest += context.worker == 1 ? 1 : 0; }));
  }
  valve_.open();
  pool().drain();
  EXPECT_EQ(ran_by_newest, 0);
  EXPECT_EQ(pool().snapshot().counters.done, 22U) << "the job of the retiring worker was finished";
  EXPECT_EQ(pool().snapshot().counters.nudges, 0U);
}

TEST_F(Scaling, S4I6I9AnUnansweredRetirementIsNudgedAfterTheGraceAndTheSlotKept) {
  fix(2);
  config_.retire_grace = seconds(2);
  std::atomic<int> nudged{0};
  Valve stubborn;
  for (int i = 0; i < 2; ++i) {
    pool().try_submit(Task([&](const JobContext& context) {
      if (valve_.wait(context.stop)) return;
      ++nudged;
      stubborn.wait();
    }));
  }
  valve_.until_waiting(2);
  pool().set_limits({1, 1, 100});
  step_after(milliseconds(1));
  step_after(seconds(2) - Duration(1));
  EXPECT_EQ(pool().snapshot().counters.nudges, 0U);
  step_after(Duration(1));
  EXPECT_EQ(pool().snapshot().counters.nudges, 1U);
  stubborn.until_waiting(1);
  EXPECT_EQ(nudged, 1);
  step_after(seconds(60));
  EXPECT_EQ(pool().snapshot().total, 2) << "still at work, so its slot is taken";
  stubborn.open();
  step_until([](const Snapshot& snapshot) { return snapshot.total == 1; });
}

TEST_F(Scaling, S5I1RetiringWorkersCountTowardsTheCap) {
  fix(3);
  occupy(3);
  pool().set_limits({1, 1, 100});
  pool().step();
  EXPECT_EQ(pool().snapshot().retiring, 2);
  pool().set_limits({3, 3, 100});
  for (int i = 0; i < 5; ++i) {
    step_after(seconds(1));
    EXPECT_EQ(pool().snapshot().total, 3);
  }
  valve_.open();
  step_until([](const Snapshot& snapshot) { return snapshot.live == 3; });
  EXPECT_EQ(pool().snapshot().counters.workers_started, 5U);
}

TEST_F(Scaling, S2LiveTotalAndRetiringAddUp) {
  fix(3);
  occupy(3);
  pool().set_limits({1, 2, 100});
  pool().step();
  const Snapshot snapshot = pool().snapshot();
  EXPECT_EQ(snapshot.live, 2);
  EXPECT_EQ(snapshot.retiring, 1);
  EXPECT_EQ(snapshot.total, snapshot.live + snapshot.retiring);
}

TEST_F(Scaling, I10AGateKeepsThePoolSmall) {
  use(std::make_shared<LittlePolicy>(), 1, 8);
  config_.gate = Gate::slots(2);
  occupy();
  submit_blocking(6);
  for (int i = 0; i < 20; ++i) step_after(milliseconds(100));
  EXPECT_EQ(pool().snapshot().live, 2);
  EXPECT_EQ(pool().decisions().back().reason, Reason::kGated);
}

TEST_F(Scaling, LittleGrowsWithABurstAndShrinksAfterTheWindow) {
  use(std::make_shared<LittlePolicy>(), 1, 8);
  occupy();
  submit_blocking(5);
  for (int i = 0; i < 10; ++i) step_after(milliseconds(100));
  valve_.until_waiting(6);
  EXPECT_EQ(pool().snapshot().live, 6);
  valve_.open();
  eventually([&] { return pool().snapshot().counters.done == 6; });
  for (int i = 0; i < 140; ++i) step_after(milliseconds(100));
  EXPECT_EQ(pool().snapshot().live, 6) << "I11: not within the window";
  for (int i = 0; i < 600; ++i) step_after(milliseconds(100));
  step_until([](const Snapshot& snapshot) { return snapshot.total == 1; });
}

// One job that does not come back must not hold up the others, although all that ended took no time to speak of.
TEST_F(Scaling, LittleGrowsForAJobBehindAStuckOneWithinATick) {
  use(std::make_shared<LittlePolicy>(), 1, 2);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    pool().try_submit(Task([this](const JobContext&) { clock_->advance(milliseconds(1)); }));
    eventually([&] { return pool().snapshot().counters.done == i; });
  }
  step_after(milliseconds(100));
  for (int i = 0; i < 600; ++i) step_after(milliseconds(100));
  step_until([](const Snapshot& snapshot) { return snapshot.total == 1; });
  occupy();
  step_after(seconds(1));
  Snapshot snapshot = pool().snapshot();
  ASSERT_EQ(snapshot.live, 1);
  EXPECT_EQ(snapshot.overrunning, 1);
  EXPECT_EQ(expected_wait(snapshot), Duration::zero()) << "a second worker may be started";
  submit_blocking(1);
  step_after(milliseconds(1));
  valve_.until_waiting(2);
  snapshot = pool().snapshot();
  EXPECT_EQ(snapshot.live, 2);
  EXPECT_EQ(snapshot.overrunning, 1);
  step_after(seconds(10));
  EXPECT_GT(expected_wait(pool().snapshot()), seconds(5)) << "now both are stuck, and there may be no third";
}

TEST_F(Scaling, APoolWithoutAFloorStartsAWorkerForTheFirstJob) {
  use(std::make_shared<LittlePolicy>(), 0, 4);
  EXPECT_EQ(pool().snapshot().total, 0);
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()});
  pool().step();
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
}

TEST_F(Scaling, S10LimitsCanBeChangedWhileRunning) {
  use(std::make_shared<SpawnOnSubmitPolicy>(), 1, 1);
  config_.queue_capacity = 1;
  occupy();
  submit_blocking(1);
  EXPECT_EQ(pool().try_submit(Task([](const JobContext&) {})), Answer::kFull);
  EXPECT_FALSE(pool().set_limits({2, 3, 4}));
  submit_blocking(1);
  pool().step();
  valve_.until_waiting(3);
  EXPECT_EQ(pool().snapshot().live, 3);
  EXPECT_EQ(pool().snapshot().queue_capacity, 4U);
  const auto error = pool().set_limits({0, 0, 4});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "max_workers");
  EXPECT_EQ(pool().snapshot().max_workers, 3) << "a refused change changes nothing";
}

TEST_F(Scaling, S10ACapCanBeLoweredWhateverPolicyAndGateWant) {
  fix(3);
  config_.gate = Gate::slots(3);
  until_idle(3);
  EXPECT_FALSE(pool().set_limits({1, 2, 100}));
  step_until([](const Snapshot& snapshot) { return snapshot.total == 2; });
  EXPECT_EQ(pool().snapshot().live, 2);
}

TEST_F(Scaling, S10ACapacityThatGrowsLetsWaitingSubmittersIn) {
  config_.queue_capacity = 1;
  occupy();
  submit_blocking(1);
  auto answer = std::async(std::launch::async, [&] { return pool().submit(Task([](const JobContext&) {})); });
  pool().set_limits({1, 1, 2});
  EXPECT_EQ(answer.get(), Answer::kAccepted);
}

TEST_F(Scaling, S10AWrongConfigurationIsRefusedByName) {
  config_.min_workers = 9;
  const auto made = TaskPool::make(config_, factory_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().field, "min_workers");
  config_.min_workers = 1;
  EXPECT_EQ(TaskPool::make(config_, TaskFactory()).error().field, "factory");
}

TEST_F(Scaling, S11DecisionsCanBeReadAndReplayed) {
  const auto policy = std::make_shared<LittlePolicy>();
  use(policy, 1, 8);
  occupy();
  submit_blocking(4);
  for (int i = 0; i < 10; ++i) step_after(milliseconds(100));
  valve_.open();
  for (int i = 0; i < 10; ++i) step_after(milliseconds(100));
  const std::vector<Decision> decisions = pool().decisions();
  ASSERT_GT(decisions.size(), 2U);
  for (const Decision& decision : decisions) {
    const Verdict again = policy->decide(decision.input, decision.at);
    EXPECT_EQ(again.target, decision.verdict.target) << to_string(decision);
    EXPECT_EQ(again.reason, decision.verdict.reason) << to_string(decision);
  }
}

TEST_F(Scaling, S11TheSnapshotShowsIdleLongest) {
  pool();
  until_idle(1);
  clock_->advance(seconds(3));
  EXPECT_EQ(pool().snapshot().longest_idle, seconds(3));
}

// With its own control thread and the real clock the pool grows without anybody's help, long before the interval is
// over.
TEST(ScalingByItself, ASubmitThatFindsNobodyIdleWakesTheControlThread) {
  SpawnOnSubmitPolicy::Options options;
  options.check_interval = std::chrono::hours(1);
  Config config;
  config.min_workers = 1;
  config.max_workers = 4;
  config.policy = std::make_shared<SpawnOnSubmitPolicy>(options);
  auto pool = *TaskPool::make(config, task_worker());
  Valve valve;
  for (int i = 1; i <= 4; ++i) {
    pool->try_submit(Task([&](const JobContext&) { valve.wait(); }));
    valve.until_waiting(i);
  }
  valve.open();
  EXPECT_EQ(pool->drain(), 0U);
}

TEST(ScalingByItself, AnExpiredJobIsReportedWithoutAWorkerAndWithoutAnIntervalPassing) {
  Config config;
  config.min_workers = config.max_workers = 1;
  config.policy = std::make_shared<FixedPolicy>(1);
  Valve valve;  // before the pool, whose worker may still be in it when the test ends
  EndProbe probe;
  auto pool = *TaskPool::make(config, task_worker());
  pool->try_submit(Task([&](const JobContext&) { valve.wait(); }));
  valve.until_waiting(1);
  pool->try_submit(Task([](const JobContext&) {}),
                   {.deadline = config.clock->now() + milliseconds(5), .on_end = probe.callback()});
  EXPECT_EQ(probe.wait().outcome, Outcome::kExpired);
  valve.open();
}

}  // namespace
}  // namespace optimux::pool::testing
