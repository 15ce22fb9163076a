// Workers that are coroutines: on one thread, under a clock that the test moves, with a loop that the test turns.

#include "optimux/pool/coroutine_worker.hpp"

#include <gtest/gtest.h>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A job that is a coroutine.
struct Job {
  std::function<Task<>(const JobContext&)> run;
};
using JobPool = CoroutineScaler<Job>;
using Context = CoroutineContext<Job>;

class Watcher final : public Observer {
 public:
  void on_worker_exited(WorkerIndex worker, const WorkerExit& exit) override {
    left.push_back(worker);
    exits.push_back(exit);
  }
  std::vector<WorkerIndex> left;
  std::vector<WorkerExit> exits;
};

class CoroutineWorkers : public ::testing::Test {
 protected:
  CoroutineWorkers() {
    config_.clock = clock_;
    config_.control = Control::kByCaller;
    config_.cpu_counter = [] { return CpuCount{4, 4, {}, "test"}; };
    config_.observer = watcher_;
    config_.queue_capacity = 200'000;
    fix(1);
  }
  void fix(int workers) {
    config_.min_workers = config_.max_workers = workers;
    config_.policy = std::make_shared<FixedPolicy>(workers);
  }
  JobPool& pool() {
    if (!pool_) {
      pool_ = *JobPool::make(config_, factory_);
      turn();
    }
    return *pool_;
  }
  /// Runs the loop until it has nothing to do at this moment.
  void turn() {
    while (loop_->turn() > 0) {
    }
  }
  void step_after(Duration pause) {
    clock_->advance(pause);
    turn();
    pool().step();
    turn();
  }
  /// Rounds of control and loop until nothing changes any more.
  void settle() {
    for (int i = 0; i < 4; ++i) step_after(Duration::zero());
  }
  Answer submit(std::function<Task<>(const JobContext&)> run, JobOptions options = {}) {
    const Answer answer = pool().try_submit({std::move(run)}, std::move(options));
    turn();
    return answer;
  }
  Answer submit_sleep(Duration duration, JobOptions options = {}) {
    return submit([this, duration](const JobContext&) -> Task<> { co_await loop_->sleep_for(duration); },
                  std::move(options));
  }
  [[nodiscard]] OnEnd noting() {
    return [this](JobEnd end) { ends_.push_back(std::move(end)); };
  }
  void TearDown() override {
    if (!pool_) return;
    pool_->stop();
    while (pool_->snapshot().total > 0) step_after(std::chrono::hours(1));
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<EventLoop> loop_ = *EventLoop::make({.clock = clock_, .own_threads = false});
  std::shared_ptr<Watcher> watcher_ = std::make_shared<Watcher>();
  Config config_;
  CoroutineFactory<Job> factory_ =
      coroutine_worker<Job>(*loop_, [](Job& job, const JobContext& context) { return job.run(context); });
  std::vector<JobEnd> ends_;
  std::unique_ptr<JobPool> pool_;
};

TEST_F(CoroutineWorkers, JobsThatWaitOverlapOnOneThread) {
  fix(10);
  for (int i = 0; i < 15; ++i) submit_sleep(seconds(1));
  EXPECT_EQ(pool().snapshot().in_flight, 10);
  EXPECT_EQ(pool().snapshot().queue_depth, 5U);
  step_after(seconds(1));
  EXPECT_EQ(pool().snapshot().counters.done, 10U);
  EXPECT_EQ(pool().snapshot().in_flight, 5);
  step_after(seconds(1));
  EXPECT_EQ(pool().snapshot().counters.done, 15U);
  EXPECT_EQ(pool().snapshot().idle, 10);
}

TEST_F(CoroutineWorkers, TheEndOfAJobSaysHowItWent) {
  submit_sleep(seconds(3), {.on_end = noting()});
  submit_sleep(seconds(1), {.on_end = noting()});
  step_after(seconds(3));
  step_after(seconds(1));
  ASSERT_EQ(ends_.size(), 2U);
  EXPECT_EQ(ends_[0].ran, seconds(3));
  EXPECT_EQ(ends_[1].waited, seconds(3));
  EXPECT_EQ(ends_[1].worker, 0U);
}

TEST_F(CoroutineWorkers, S7AJobThatThrowsFailsAlone) {
  submit(
      [this](const JobContext&) -> Task<> {
        co_await loop_->sleep_for(milliseconds(1));
        throw std::runtime_error("no");
      },
      {.on_end = noting()});
  submit([](const JobContext&) -> Task<> { throw std::logic_error("not even a coroutine"); }, {.on_end = noting()});
  submit_sleep(milliseconds(1), {.on_end = noting()});
  step_after(milliseconds(1));
  step_after(milliseconds(1));
  ASSERT_EQ(ends_.size(), 3U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kFailed);
  EXPECT_THROW(std::rethrow_exception(ends_[0].error), std::runtime_error);
  EXPECT_THROW(std::rethrow_exception(ends_[1].error), std::logic_error);
  EXPECT_EQ(ends_[2].outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.workers_crashed, 0U);
}

TEST_F(CoroutineWorkers, S9StopWhileSleeping) {
  fix(3);
  int cut_short = 0;
  for (int i = 0; i < 3; ++i) {
    submit(
        [&](const JobContext& context) -> Task<> {
          const bool slept = co_await loop_->sleep_for(std::chrono::hours(1), context.stop);
          cut_short += slept ? 0 : 1;
        },
        {.on_end = noting()});
  }
  submit_sleep(seconds(1), {.on_end = noting()});
  pool().stop();
  ASSERT_EQ(ends_.size(), 1U) << "what was queued ends before stop returns";
  EXPECT_EQ(ends_[0].outcome, Outcome::kCancelled);
  settle();
  EXPECT_EQ(cut_short, 3);
  EXPECT_EQ(ends_.size(), 4U);
  EXPECT_EQ(pool().snapshot().total, 0);
  EXPECT_EQ(watcher_->exits.size(), 3U);
  for (const WorkerExit& exit : watcher_->exits) EXPECT_EQ(exit.kind, ExitKind::kStopped);
}

TEST_F(CoroutineWorkers, S8AJobIsCancelledByItsOwnTokenWhetherItRunsOrWaits) {
  std::stop_source running;
  std::stop_source queued;
  submit(
      [&](const JobContext& context) -> Task<> {
        const bool slept = co_await loop_->sleep_for(std::chrono::hours(1), context.stop);
        if (!slept) throw std::runtime_error("gave up");
      },
      {.stop = running.get_token(), .on_end = noting()});
  submit_sleep(seconds(1), {.stop = queued.get_token(), .on_end = noting()});
  queued.request_stop();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kCancelled);
  running.request_stop();
  turn();
  ASSERT_EQ(ends_.size(), 2U);
  EXPECT_EQ(ends_[1].outcome, Outcome::kCancelled) << "a throw after the token has fired";
  submit_sleep(seconds(1), {.on_end = noting()});
  step_after(seconds(1));
  EXPECT_EQ(ends_.back().outcome, Outcome::kDone) << "the next job has a token of its own";
}

TEST_F(CoroutineWorkers, S8AQueuedJobExpires) {
  submit_sleep(seconds(5));
  submit_sleep(seconds(1), {.deadline = clock_->now() + seconds(2), .on_end = noting()});
  step_after(seconds(2));
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kExpired);
}

TEST_F(CoroutineWorkers, S3I5TheNewestLeavesFirstAndAParkedOneAtOnce) {
  fix(5);
  pool();
  for (int cap = 4; cap >= 1; --cap) {
    pool().set_limits({1, cap, 100});
    settle();
    EXPECT_EQ(pool().snapshot().total, cap);
  }
  EXPECT_EQ(watcher_->left, (std::vector<WorkerIndex>{4, 3, 2, 1}));
  EXPECT_EQ(pool().snapshot().counters.workers_retired, 4U);
}

TEST_F(CoroutineWorkers, S4I6I9AnUnansweredRetirementIsNudgedAfterTheGraceAndTheSlotKept) {
  fix(2);
  config_.retire_grace = seconds(2);
  for (int i = 0; i < 2; ++i) {
    submit([this](const JobContext& context) -> Task<> {
      co_await loop_->sleep_for(std::chrono::hours(1), context.stop);
      co_await loop_->sleep_for(seconds(10));  // and is stubborn for a while
    });
  }
  pool().set_limits({1, 1, 100});
  step_after(milliseconds(1));
  step_after(seconds(2) - Duration(1));
  EXPECT_EQ(pool().snapshot().counters.nudges, 0U);
  step_after(Duration(1));
  EXPECT_EQ(pool().snapshot().counters.nudges, 1U);
  step_after(seconds(9));
  EXPECT_EQ(pool().snapshot().total, 2) << "still at work, so its slot is taken";
  step_after(seconds(1));
  settle();
  EXPECT_EQ(pool().snapshot().total, 1);
  EXPECT_EQ(watcher_->left, std::vector<WorkerIndex>{1});
  EXPECT_EQ(pool().snapshot().in_flight, 1) << "the other sleeps on";
}

TEST_F(CoroutineWorkers, S6OneWakeUpIsUnderWayHoweverManyJobsCome) {
  fix(100);
  pool();
  std::vector<Job> jobs(100);
  for (Job& job : jobs) job.run = [this](const JobContext&) -> Task<> { co_await loop_->sleep_for(seconds(1)); };
  EXPECT_EQ(pool().submit_batch(jobs).accepted, 100U);
  EXPECT_EQ(pool().snapshot().counters.wakes_for_jobs, 1U);
  turn();
  EXPECT_EQ(pool().snapshot().counters.wakes_for_jobs, 100U) << "each that took a job woke the next";
  EXPECT_EQ(pool().snapshot().in_flight, 100);
  for (int i = 0; i < 10; ++i) step_after(milliseconds(1));
  EXPECT_EQ(pool().snapshot().counters.lost_races, 0U);
}

TEST_F(CoroutineWorkers, JobsThatWaitForNothingDoNotKeepTheLoopFromItsTimers) {
  pool();
  int ran = 0;
  int ran_before_timer = -1;
  const auto timer = [&]() -> Task<> {
    co_await loop_->sleep_for(Duration(1));
    ran_before_timer = ran;
  };
  loop_->spawn(timer());
  turn();
  clock_->advance(Duration(1));
  for (int i = 0; i < 1'000; ++i) {
    pool().try_submit({[&](const JobContext&) -> Task<> {
      ++ran;
      co_return;
    }});
  }
  turn();
  EXPECT_EQ(ran, 1'000);
  EXPECT_LE(ran_before_timer, 1);
}

TEST_F(CoroutineWorkers, GrowsWithTheLoadUpToTheGate) {
  config_.min_workers = 1;
  config_.max_workers = 50;
  config_.policy = std::make_shared<LittlePolicy>();
  config_.gate = Gate::slots(20);
  for (int i = 0; i < 60; ++i) submit_sleep(std::chrono::hours(1));
  for (int i = 0; i < 50; ++i) step_after(milliseconds(100));
  EXPECT_EQ(pool().snapshot().live, 20);
  EXPECT_EQ(pool().decisions().back().reason, Reason::kGated);
}

TEST_F(CoroutineWorkers, S12ABodyOfOnesOwn) {
  fix(2);
  std::vector<int> jobs_of_worker(2);
  factory_ = coroutine_body<Job>(*loop_, [&](Context& context) -> Task<> {
    int jobs = 0;  // the worker's state
    for (;;) {
      auto job = co_await context.take();
      if (!job) break;
      // A name of its own: g++ 12 destroys an aggregate that is made inside of a co_await expression twice.
      const JobContext about{job.stop_token(), job.waited(), job.deadline(), context.index()};
      co_await job->run(about);
      jobs_of_worker[context.index()] = ++jobs;
      job.done();
    }
    EXPECT_TRUE(context.asked_to_leave());
    EXPECT_EQ(&context.clock(), clock_.get());
    EXPECT_EQ(&context.loop(), loop_.get());
  });
  for (int i = 0; i < 10; ++i) submit_sleep(seconds(1));
  for (int i = 0; i < 5; ++i) step_after(seconds(1));
  EXPECT_EQ(jobs_of_worker, (std::vector<int>{5, 5}));
  EXPECT_EQ(pool().snapshot().counters.done, 10U);
}

TEST_F(CoroutineWorkers, S7ABodyThatThrowsOrReturnsIsReplacedAndItsJobFails) {
  factory_ = coroutine_body<Job>(*loop_, [&](Context& context) -> Task<> {
    for (;;) {
      auto job = co_await context.take();
      if (!job) co_return;
      if (context.index() == 0) throw std::runtime_error("falls over");
      job.done();
      if (context.index() == 1) co_return;
    }
  });
  for (int i = 0; i < 3; ++i) submit_sleep(seconds(1), {.on_end = noting()});
  settle();
  settle();
  ASSERT_EQ(ends_.size(), 3U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kFailed);
  EXPECT_THROW(std::rethrow_exception(ends_[0].error), AbandonedJob);
  EXPECT_EQ(ends_[2].outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.workers_crashed, 2U);
  ASSERT_EQ(watcher_->exits.size(), 2U);
  EXPECT_EQ(watcher_->exits[0].kind, ExitKind::kThrew);
  EXPECT_EQ(watcher_->exits[0].error, "falls over");
  EXPECT_EQ(watcher_->exits[1].kind, ExitKind::kReturned);
}

TEST_F(CoroutineWorkers, S5ABodyThatCannotBeMadeIsTriedAgain) {
  int failures = 2;
  factory_ = coroutine_body<Job>(*loop_, [&](Context& context) -> Task<> {
    if (failures-- > 0) throw std::runtime_error("licence server is down");
    return [](Context& mine) -> Task<> {
      for (;;) {
        auto job = co_await mine.take();
        if (!job) co_return;
        job.done();
      }
    }(context);
  });
  submit_sleep(seconds(1), {.on_end = noting()});
  for (int i = 0; i < 10; ++i) step_after(milliseconds(200));
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 2U);
}

TEST_F(CoroutineWorkers, AWorkersTokenFiresOnANudgeWhetherItWasAskedForBeforeOrAfter) {
  fix(2);
  std::stop_token before;
  std::stop_token after;
  factory_ = coroutine_body<Job>(*loop_, [&](Context& context) -> Task<> {
    if (context.index() == 1) before = context.stop_token();
    auto job = co_await context.take();
    if (job) co_await loop_->sleep_for(seconds(60));
    if (job) job.done();
    after = context.stop_token();
    auto none = co_await context.take();
  });
  for (int i = 0; i < 2; ++i) submit_sleep(seconds(1));
  pool().set_limits({1, 1, 100});
  step_after(milliseconds(1));
  EXPECT_FALSE(before.stop_requested());
  step_after(seconds(2));
  EXPECT_TRUE(before.stop_requested());
  pool().stop();
  step_after(seconds(60));
  EXPECT_TRUE(after.stop_requested());
}

TEST_F(CoroutineWorkers, SettingsThatDoNotFitAreRefusedByName) {
  EXPECT_EQ(JobPool::make(config_, CoroutineFactory<Job>()).error().field, "factory");
  config_.on_thread_start = [](WorkerIndex) {};
  EXPECT_EQ(JobPool::make(config_, factory_).error().field, "on_thread_start");
}

TEST_F(CoroutineWorkers, AHundredThousandAreMadeRunAJobEachAndRetire) {
  constexpr int kWorkers = 100'000;
  fix(kWorkers);
  std::vector<std::uint8_t> ran(kWorkers);
  pool();
  ASSERT_EQ(pool().snapshot().idle, kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    pool().try_submit({[&](const JobContext& context) -> Task<> {
      co_await loop_->sleep_for(milliseconds(1));
      ++ran[context.worker];
    }});
  }
  turn();
  EXPECT_EQ(pool().snapshot().in_flight, kWorkers);
  clock_->advance(milliseconds(1));
  turn();
  EXPECT_EQ(pool().snapshot().counters.done, static_cast<std::uint64_t>(kWorkers));
  EXPECT_EQ(std::count(ran.begin(), ran.end(), 1), kWorkers);
  pool().set_limits({1, 1, 100});
  settle();
  EXPECT_EQ(pool().snapshot().total, 1);
  EXPECT_EQ(watcher_->left.size(), static_cast<std::size_t>(kWorkers - 1));
  EXPECT_TRUE(std::is_sorted(watcher_->left.rbegin(), watcher_->left.rend())) << "I5: the newest first";
}

}  // namespace
}  // namespace optimux::pool
