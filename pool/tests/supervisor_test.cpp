#include "optimux/pool/supervisor.hpp"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Workers without threads: they do what the test says. Any simulation looks like this.
class FakeWorkforce final : public Workforce {
 public:
  [[nodiscard]] Load load(TimePoint /*now*/, Duration overrun_after) const override {
    asked_about = overrun_after;
    return figures;
  }
  void start(WorkerIndex index) override {
    if (failures_left > 0) {
      --failures_left;
      throw std::runtime_error("no thread to be had");
    }
    started.push_back(index);
    at_work.insert(index);
  }
  void ask_retire(WorkerIndex index) override { asked.push_back(index); }
  void nudge(WorkerIndex index) override { nudged.push_back(index); }
  void join(WorkerIndex index) override {
    EXPECT_EQ(at_work.count(index), 0U) << "I6: joined before it has left";
    joined.push_back(index);
  }
  void rotate_quantiles() override { ++rotations; }

  Load figures;
  mutable Duration asked_about{};
  int failures_left = 0;
  int rotations = 0;
  std::set<WorkerIndex> at_work;
  std::vector<WorkerIndex> started, asked, nudged, joined;
};

class Watcher final : public Observer {
 public:
  void on_worker_started(WorkerIndex worker) override { note("started", worker); }
  void on_start_failed(const std::string& error) override { events.push_back("failed: " + error); }
  void on_worker_exited(WorkerIndex worker, const WorkerExit& exit) override { note(to_string(exit.kind), worker); }
  void on_worker_nudged(WorkerIndex worker) override { note("nudged", worker); }
  void on_decision(const Decision& decision) override { decisions.push_back(decision); }

  std::vector<std::string> events;
  std::vector<Decision> decisions;

 private:
  void note(std::string_view what, WorkerIndex worker) {
    std::string event(what);
    event += ' ';
    events.push_back(event += std::to_string(worker));
  }
};

/// Wants so many workers now; it could be more another time.
class Wish final : public Policy {
 public:
  explicit Wish(int workers) : workers_(workers) {}
  [[nodiscard]] std::string_view name() const override { return "wish"; }
  [[nodiscard]] Duration interval() const override { return seconds(1); }
  [[nodiscard]] Verdict decide(const Snapshot& /*snapshot*/, TimePoint /*now*/) const override {
    return {workers_, Reason::kCustom, workers_};
  }

 private:
  int workers_;
};

class SupervisorTest : public ::testing::Test {
 protected:
  SupervisorTest() {
    config_.clock = clock_;
    config_.observer = watcher_;
    config_.min_workers = 1;
    config_.max_workers = 4;
    config_.cpu_counter = [this] { return CpuCount{cpus_, cpus_, {}, "test"}; };
    want(1);
  }

  void want(int workers) { config_.policy = std::make_shared<Wish>(workers); }
  Supervisor& supervisor() {
    if (!supervisor_) supervisor_ = std::make_unique<Supervisor>(config_, force_);
    return *supervisor_;
  }
  void step_after(Duration pause) {
    clock_->advance(pause);
    supervisor().step();
  }
  void all_ready() {
    for (const WorkerIndex index : force_.at_work) supervisor().worker_ready(index);
  }
  void leave(WorkerIndex index, ExitKind kind) {
    force_.at_work.erase(index);
    supervisor().worker_exited(index, {kind, ""});
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<Watcher> watcher_ = std::make_shared<Watcher>();
  FakeWorkforce force_;
  Config config_;
  int cpus_ = 4;
  std::unique_ptr<Supervisor> supervisor_;
};

TEST_F(SupervisorTest, StartsWhatThePolicyWants) {
  want(3);
  supervisor().step();
  EXPECT_EQ(force_.started, (std::vector<WorkerIndex>{0, 1, 2}));
  EXPECT_EQ(supervisor().snapshot().live, 3);
  EXPECT_EQ(watcher_->events.front(), "started 0");
}

TEST_F(SupervisorTest, I5I6RetiresTheNewestAndKeepsItsSlotUntilItHasLeft) {
  want(3);
  supervisor().step();
  all_ready();
  EXPECT_FALSE(supervisor().set_limits({1, 2, 10}));
  step_after(milliseconds(1));
  EXPECT_EQ(force_.asked, std::vector<WorkerIndex>{2});
  Snapshot snapshot = supervisor().snapshot();
  EXPECT_EQ(snapshot.live, 2);
  EXPECT_EQ(snapshot.retiring, 1);
  EXPECT_EQ(snapshot.total, 3);
  step_after(seconds(60));
  EXPECT_EQ(supervisor().snapshot().total, 3);
  leave(2, ExitKind::kRetired);
  step_after(milliseconds(1));
  snapshot = supervisor().snapshot();
  EXPECT_EQ(snapshot.total, 2);
  EXPECT_EQ(snapshot.counters.workers_retired, 1U);
}

TEST_F(SupervisorTest, I9NudgesAfterTheGraceOnceAndNotBefore) {
  want(2);
  supervisor().step();
  supervisor().set_limits({1, 1, 10});
  step_after(milliseconds(1));
  step_after(seconds(2) - Duration(1));
  EXPECT_TRUE(force_.nudged.empty());
  step_after(Duration(1));
  EXPECT_EQ(force_.nudged, std::vector<WorkerIndex>{1});
  step_after(seconds(10));
  EXPECT_EQ(force_.nudged.size(), 1U);
  EXPECT_EQ(supervisor().snapshot().counters.nudges, 1U);
}

TEST_F(SupervisorTest, TellsWhenTheGraceEnds) {
  want(2);
  supervisor().step();
  supervisor().set_limits({1, 1, 10});
  clock_->advance(milliseconds(1));
  const TimePoint asked = clock_->now();
  EXPECT_LE(supervisor().step(), asked + seconds(2));
}

TEST_F(SupervisorTest, I1RetiringWorkersCountTowardsTheCap) {
  want(4);
  supervisor().step();
  all_ready();
  supervisor().set_limits({1, 2, 10});
  step_after(milliseconds(1));
  EXPECT_EQ(force_.asked, (std::vector<WorkerIndex>{3, 2}));
  supervisor().set_limits({1, 4, 10});
  step_after(seconds(1));
  EXPECT_EQ(force_.started.size(), 4U) << "two leave, two stay: the cap of four is reached";
  leave(3, ExitKind::kRetired);
  step_after(seconds(1));
  EXPECT_EQ(force_.started.size(), 5U);
  EXPECT_EQ(supervisor().snapshot().total, 4);
}

TEST_F(SupervisorTest, I3RefillsTheFloorInOneStepAfterCrashes) {
  config_.min_workers = 3;
  want(3);
  supervisor().step();
  all_ready();
  for (const WorkerIndex index : {0, 1, 2}) leave(index, index == 1 ? ExitKind::kReturned : ExitKind::kThrew);
  step_after(Duration(1));
  EXPECT_EQ(supervisor().snapshot().live, 3);
  EXPECT_EQ(supervisor().snapshot().counters.workers_crashed, 3U);
  EXPECT_EQ(force_.joined, (std::vector<WorkerIndex>{0, 1, 2}));
  EXPECT_EQ(watcher_->decisions.back().reason, Reason::kFloorRefill);
}

TEST_F(SupervisorTest, BacksOffWhileWorkersCannotBeCreated) {
  force_.failures_left = 3;
  TimePoint next = supervisor().step();
  EXPECT_EQ(watcher_->events.back(), "failed: no thread to be had");
  EXPECT_EQ(next, clock_->now() + milliseconds(100));
  step_after(milliseconds(99));
  EXPECT_EQ(force_.failures_left, 2) << "not before the pause is over";
  step_after(milliseconds(1));
  EXPECT_EQ(force_.failures_left, 1);
  step_after(milliseconds(199));
  EXPECT_EQ(force_.failures_left, 1) << "the pause doubles";
  step_after(milliseconds(1));
  EXPECT_EQ(force_.failures_left, 0);
  step_after(milliseconds(400));
  EXPECT_EQ(supervisor().snapshot().live, 1);
  EXPECT_EQ(supervisor().snapshot().counters.start_failures, 3U);
}

TEST_F(SupervisorTest, AGrowthThatCannotTakePlaceIsNotRemembered) {
  want(3);
  config_.min_workers = 0;
  force_.failures_left = 2;
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().last_scaled_at, TimePoint{}) << "the first try fails";
  step_after(Duration(1));
  EXPECT_EQ(supervisor().snapshot().last_scaled_at, TimePoint{}) << "the next is put off";
  for (int i = 0; i < 5; ++i) step_after(seconds(1));
  EXPECT_EQ(supervisor().snapshot().live, 3);
  EXPECT_NE(supervisor().snapshot().last_scaled_at, TimePoint{});
}

TEST_F(SupervisorTest, TheBackOffHasALimitAndEndsWithSuccess) {
  config_.longest_backoff = milliseconds(400);
  force_.failures_left = 20;
  supervisor().step();
  for (int i = 0; i < 19; ++i) step_after(milliseconds(400));
  step_after(milliseconds(400));
  ASSERT_EQ(force_.at_work.size(), 1U);
  all_ready();
  leave(*force_.at_work.begin(), ExitKind::kThrew);
  step_after(Duration(1));
  EXPECT_EQ(force_.at_work.size(), 1U) << "a worker that had been ready is replaced at once";
}

TEST_F(SupervisorTest, AWorkerThatFallsBeforeItsFirstJobCountsAsAFailureToStart) {
  supervisor().step();
  leave(0, ExitKind::kThrew);
  step_after(milliseconds(1));
  EXPECT_EQ(supervisor().snapshot().live, 0);
  EXPECT_EQ(supervisor().snapshot().counters.start_failures, 1U);
  EXPECT_EQ(watcher_->decisions.back().reason, Reason::kStartBackoff);
  step_after(milliseconds(100));
  EXPECT_EQ(supervisor().snapshot().live, 1);
}

TEST_F(SupervisorTest, TellsHowManyWorkersThereMayBe) {
  want(2);
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().most_live, 4);
  supervisor().set_limits({1, 1, 10});
  step_after(milliseconds(1));
  supervisor().set_limits({1, 4, 10});
  EXPECT_EQ(supervisor().snapshot().most_live, 3) << "one has not left yet";
}

TEST_F(SupervisorTest, WhatThePolicyNeverWantsIsNotWithinReach) {
  config_.policy = std::make_shared<FixedPolicy>(2);
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().most_live, 2);
  supervisor().set_limits({3, 4, 10});
  EXPECT_EQ(supervisor().snapshot().most_live, 3) << "but the floor is";
}

TEST_F(SupervisorTest, WhatTheGateHoldsBackIsNotWithinReach) {
  config_.gate = Gate::slots(2);
  want(3);
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().live, 2);
  EXPECT_EQ(supervisor().snapshot().most_live, 2);
}

TEST_F(SupervisorTest, WorkersThatCannotBeCreatedAreNotWithinReach) {
  force_.failures_left = 1;
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().most_live, 0);
  step_after(milliseconds(100));
  EXPECT_EQ(supervisor().snapshot().live, 1);
  all_ready();
  EXPECT_EQ(supervisor().snapshot().most_live, 4);
}

TEST_F(SupervisorTest, AsksForJobsThatTakeThreeTimesTheUsual) {
  supervisor().step();
  EXPECT_EQ(force_.asked_about, Duration::zero());
  force_.figures.run_jobs = 1;
  force_.figures.run_time = milliseconds(100);
  force_.figures.overrunning = 1;
  step_after(milliseconds(100));
  EXPECT_EQ(supervisor().snapshot().overrunning, 1);
  EXPECT_NEAR(to_seconds(force_.asked_about), .3, 1e-6);
}

TEST_F(SupervisorTest, StartsNobodyAfterStop) {
  supervisor().step();
  supervisor().stop();
  leave(0, ExitKind::kStopped);
  step_after(seconds(5));
  EXPECT_EQ(supervisor().total(), 0);
  EXPECT_EQ(force_.started.size(), 1U);
}

TEST_F(SupervisorTest, RefusesWrongLimitsAndKeepsTheOld) {
  const auto error = supervisor().set_limits({5, 4, 10});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "min_workers");
  EXPECT_EQ(supervisor().snapshot().max_workers, 4);
}

TEST_F(SupervisorTest, CountsTheCpusAgainWhileRunning) {
  supervisor().step();
  EXPECT_EQ(supervisor().snapshot().cpus, 4);
  cpus_ = 2;
  step_after(seconds(4));
  EXPECT_EQ(supervisor().snapshot().cpus, 4);
  step_after(seconds(1));
  EXPECT_EQ(supervisor().snapshot().cpus, 2);
}

TEST_F(SupervisorTest, LogsDecisionsWithTheirInputs) {
  want(3);
  force_.figures.queue_depth = 7;
  supervisor().step();
  const std::vector<Decision> decisions = supervisor().decisions();
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0].policy, "wish");
  EXPECT_EQ(decisions[0].input.queue_depth, 7U);
  EXPECT_EQ(decisions[0].target, 3);
  EXPECT_EQ(watcher_->decisions.size(), 1U);
}

TEST_F(SupervisorTest, WakesForTheEarliestDeadlineInTheQueue) {
  force_.figures.earliest_deadline = clock_->now() + milliseconds(7);
  EXPECT_EQ(supervisor().step(), clock_->now() + milliseconds(7));
}

TEST_F(SupervisorTest, LetsOldDurationsBeForgotten) {
  supervisor().step();
  EXPECT_EQ(force_.rotations, 0);
  step_after(seconds(30));
  step_after(seconds(29));
  EXPECT_EQ(force_.rotations, 1);
  step_after(seconds(1));
  EXPECT_EQ(force_.rotations, 2);
}

}  // namespace
}  // namespace optimux::pool
