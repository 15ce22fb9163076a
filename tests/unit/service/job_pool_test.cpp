#include "service/job_pool.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <algorithm>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using base::Deadline;
using base::ErrorCode;
using std::chrono::hours;
using std::chrono::microseconds;
using testing::HasSubstr;

PoolSettings one_worker() {
  PoolSettings settings;
  settings.workers_min = 1;
  settings.workers_max = 1;
  settings.niceness = 0;
  return settings;
}

std::unique_ptr<JobPool> make(const PoolSettings& settings) {
  auto pool = JobPool::make(settings);
  EXPECT_TRUE(pool.has_value()) << (pool ? "" : pool.error().detail);
  return pool ? std::move(*pool) : nullptr;
}

std::string refusal(const PoolSettings& settings) {
  const auto pool = JobPool::make(settings);
  if (pool) return {};
  EXPECT_EQ(pool.error().code, ErrorCode::kInvalidParameter);
  return pool.error().detail;
}

JobPool::Job job(std::function<void(std::stop_token)> run) {
  JobPool::Job job;
  job.run = [run = std::move(run)](microseconds, std::stop_token stop) { run(std::move(stop)); };
  job.dropped = [](JobPool::Refusal) { ADD_FAILURE() << "dropped"; };
  return job;
}

/// Keeps the only worker busy from construction on. The worker owns its part of it, and may still be leaving the job
/// when the test is over.
class Blocker {
 public:
  explicit Blocker(JobPool& pool) {
    EXPECT_TRUE(pool.submit(job([gates = gates_](std::stop_token) {
                      gates->started.set_value();
                      gates->released.get_future().get();
                    }))
                    .has_value());
    gates_->started.get_future().get();
  }
  void release() { gates_->released.set_value(); }

 private:
  struct Gates {
    std::promise<void> started, released;
  };
  const std::shared_ptr<Gates> gates_ = std::make_shared<Gates>();
};

TEST(LeavesTime, TheWaitMayTakeHalfOfWhatIsLeft) {
  EXPECT_TRUE(leaves_time(hours(1), Deadline::never()));
  EXPECT_TRUE(leaves_time(hours(1), Deadline::after(hours(3))));
  EXPECT_FALSE(leaves_time(hours(2), Deadline::after(hours(3))));
  EXPECT_TRUE(leaves_time(microseconds(0), Deadline(Deadline::Clock::now())));
}

TEST(JobPool, WorkersAreNamedAsDebuggersShowThem) {
  PoolSettings settings = one_worker();
  settings.name = "picture";
  const auto pool = make(settings);
  std::promise<std::string> named;
  EXPECT_TRUE(pool->submit(job([&](std::stop_token) {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    named.set_value(name);
  })));
  EXPECT_THAT(named.get_future().get(), testing::StartsWith("picture-"));
}

TEST(JobPool, RunsJobs) {
  const auto pool = make(one_worker());
  std::promise<std::thread::id> ran;
  ASSERT_TRUE(pool->submit(job([&](std::stop_token) { ran.set_value(std::this_thread::get_id()); })).has_value());
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST(JobPool, RefusesWhenTheQueueIsFull) {
  auto settings = one_worker();
  settings.queue = 1;
  const auto pool = make(settings);
  Blocker blocker(*pool);
  std::promise<void> second;
  ASSERT_TRUE(pool->submit(job([&](std::stop_token) { second.set_value(); })).has_value());
  const auto third = pool->submit(job([](std::stop_token) { FAIL(); }));
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(pool->figures().queue_depth, 1);
  EXPECT_EQ(pool->figures().refused, 1U);
  blocker.release();
  second.get_future().get();
}

TEST(JobPool, RefusesAPassedDeadline) {
  const auto pool = make(one_worker());
  Blocker blocker(*pool);
  auto late = job([](std::stop_token) { FAIL(); });
  late.deadline = Deadline(Deadline::Clock::now());
  const auto answer = pool->submit(std::move(late));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kDeadlineExceeded);
  blocker.release();
}

TEST(JobPool, RefusesWhatCouldNotBeStartedInTime) {
  const auto pool = make(one_worker());
  Blocker blocker(*pool);
  // The age of the running job is part of the expected wait, so this is true as soon as it has run for a millisecond.
  while (pool->expected_wait() < std::chrono::milliseconds(1)) std::this_thread::yield();
  auto hopeless = job([](std::stop_token) { FAIL(); });
  hopeless.deadline = Deadline::after(microseconds(500));
  EXPECT_FALSE(pool->submit(std::move(hopeless)).has_value());
  blocker.release();
}

TEST(JobPool, AStuckJobDoesNotHoldUpTheOthersWhileAWorkerCanBeStarted) {
  auto settings = one_worker();
  settings.workers_max = 2;
  const auto pool = make(settings);
  if (pool->figures().cpus < 2) GTEST_SKIP() << "needs two CPUs: a second worker would be held back on one";
  Blocker blocker(*pool);
  EXPECT_EQ(pool->expected_wait(), microseconds(0));
  std::promise<void> ran;
  auto second = job([&](std::stop_token) { ran.set_value(); });
  second.deadline = Deadline::after(hours(1));
  ASSERT_TRUE(pool->submit(std::move(second)).has_value());
  ran.get_future().get();
  blocker.release();
}

TEST(JobPool, AQueuedJobIsDroppedWhenItsTokenFires) {
  const auto pool = make(one_worker());
  Blocker blocker(*pool);
  std::stop_source stop;
  std::optional<JobPool::Refusal> reason;
  auto queued = job([](std::stop_token) { FAIL(); });
  queued.stop = stop.get_token();
  queued.dropped = [&](JobPool::Refusal why) { reason = why; };
  ASSERT_TRUE(pool->submit(std::move(queued)).has_value());
  stop.request_stop();
  EXPECT_EQ(reason, JobPool::Refusal::kCancelled);
  EXPECT_EQ(pool->figures().cancelled, 1U);
  blocker.release();
}

TEST(JobPool, ARunningJobSeesItsTokenFire) {
  const auto pool = make(one_worker());
  std::stop_source stop;
  std::promise<void> started, stopped;
  auto running = job([&](std::stop_token token) {
    std::stop_callback on_stop(token, [&] { stopped.set_value(); });
    started.set_value();
    stopped.get_future().get();
  });
  running.stop = stop.get_token();
  running.was_cut_short = [] { return true; };
  ASSERT_TRUE(pool->submit(std::move(running)).has_value());
  started.get_future().get();
  stop.request_stop();
  EXPECT_TRUE(pool->drain(Deadline::never()));
  EXPECT_EQ(pool->figures().cancelled, 1U);
}

TEST(JobPool, AJobThatFailedByItselfIsNotCancelled) {
  const auto pool = make(one_worker());
  std::stop_source stop;
  auto failing = job([&](std::stop_token) { stop.request_stop(); });
  failing.stop = stop.get_token();
  failing.was_cut_short = [] { return false; };
  ASSERT_TRUE(pool->submit(std::move(failing)).has_value());
  EXPECT_TRUE(pool->drain(Deadline::never()));
  EXPECT_EQ(pool->figures().done, 1U);
  EXPECT_EQ(pool->figures().cancelled, 0U);
}

TEST(JobPool, AnExpiredJobIsDropped) {
  const auto pool = make(one_worker());
  Blocker blocker(*pool);
  std::promise<JobPool::Refusal> dropped;
  auto late = job([](std::stop_token) { FAIL(); });
  late.dropped = [&](JobPool::Refusal why) { dropped.set_value(why); };
  // The expected wait is the age of the running job here, which grows: a machine that stands still for as long as the
  // deadline makes this a refusal at once, and that is as right.
  late.deadline = Deadline::after(std::chrono::milliseconds(100));
  if (pool->submit(std::move(late))) {
    EXPECT_EQ(dropped.get_future().get(), JobPool::Refusal::kExpired);
  }
  blocker.release();
}

TEST(JobPool, DrainFinishesWhatIsQueued) {
  const auto pool = make(one_worker());
  std::atomic<int> ran = 0;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool->submit(job([&](std::stop_token) { ++ran; })).has_value());
  EXPECT_TRUE(pool->drain(Deadline::after(hours(1))));
  EXPECT_EQ(ran, 20);
  const auto refused = pool->submit(job([](std::stop_token) { FAIL(); }));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kShuttingDown);
}

TEST(JobPool, DrainOutOfTimeDropsWhatIsQueued) {
  const auto pool = make(one_worker());
  std::promise<void> stopped;
  std::promise<void> started;
  ASSERT_TRUE(pool->submit(job([&](std::stop_token token) {
                    std::stop_callback on_stop(token, [&] { stopped.set_value(); });
                    started.set_value();
                    stopped.get_future().get();
                  }))
                  .has_value());
  started.get_future().get();
  std::optional<JobPool::Refusal> reason;
  auto queued = job([](std::stop_token) { FAIL(); });
  queued.dropped = [&](JobPool::Refusal why) { reason = why; };
  ASSERT_TRUE(pool->submit(std::move(queued)).has_value());
  EXPECT_FALSE(pool->drain(Deadline(Deadline::Clock::now())));
  EXPECT_EQ(reason, JobPool::Refusal::kStopped);
}

TEST(JobPool, AThrowCostsOneJob) {
  const auto pool = make(one_worker());
  ASSERT_TRUE(pool->submit(job([](std::stop_token) { throw std::runtime_error("thrown by the test"); })).has_value());
  std::promise<void> ran;
  ASSERT_TRUE(pool->submit(job([&](std::stop_token) { ran.set_value(); })).has_value());
  ran.get_future().get();
  EXPECT_EQ(pool->figures().failed, 1U);
}

TEST(JobPool, WorkersAreNicer) {
  auto settings = one_worker();
  settings.niceness = 3;
  const auto pool = make(settings);
  const int own = getpriority(PRIO_PROCESS, 0);
  std::promise<int> niceness;
  ASSERT_TRUE(
      pool->submit(job([&](std::stop_token) { niceness.set_value(getpriority(PRIO_PROCESS, 0)); })).has_value());
  EXPECT_EQ(niceness.get_future().get(), std::min(own + 3, 19));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own);
}

TEST(JobPool, ShowsItsFigures) {
  auto settings = one_worker();
  settings.name = "video";
  settings.queue = 17;
  const auto pool = make(settings);
  EXPECT_TRUE(pool->drain(Deadline::never()));
  const auto figures = pool->figures();
  EXPECT_EQ(figures.name, "video");
  EXPECT_EQ(figures.queue_capacity, 17);
  EXPECT_EQ(figures.workers_max, 1);
  EXPECT_EQ(figures.policy, "little");
  EXPECT_GE(figures.cpus, 1);
  EXPECT_NE(figures.cpu_source, "");
}

TEST(JobPool, RecommendsNothingBeforeItHasSeenALoad) {
  const auto recommendation = make(one_worker())->figures().recommendation;
  EXPECT_EQ(recommendation.verdict, "idle");
  EXPECT_EQ(recommendation.workers, 0);
  EXPECT_FALSE(recommendation.gated);
  EXPECT_NE(recommendation.text, "");
}

TEST(JobPool, LogsItsDecisions) {
  const auto pool = make(one_worker());
  const auto decisions = pool->decisions();
  ASSERT_FALSE(decisions.empty()) << "the floor of workers is a decision";
  EXPECT_EQ(decisions.front().target, 1);
  EXPECT_NE(decisions.front().reason, "");
  EXPECT_GE(decisions.front().age, 0);
}

TEST(JobPool, TellsHowManyWorkersItMayBeGiven) {
  PoolSettings settings;
  settings.workers_min = 0;
  auto pool = JobPool::make(settings).value();
  EXPECT_EQ(pool->figures().workers_limit, 16 * pool->figures().cpus);
  settings.workers_max = 2'000;
  EXPECT_EQ(JobPool::make(settings).value()->figures().workers_limit, std::max(2'000, 16 * pool->figures().cpus));
}

TEST(JobPool, LimitsChangeWhileItRuns) {
  const auto pool = make(one_worker());
  EXPECT_TRUE(pool->set_limits(2, 3).has_value());
  EXPECT_EQ(pool->figures().workers_min, 2);
  EXPECT_EQ(pool->figures().workers_max, 3);
  EXPECT_TRUE(pool->set_limits(1, 0).has_value());
  EXPECT_EQ(pool->figures().workers_max, pool->figures().cpus);
  const auto refused = pool->set_limits(5, 3);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidParameter);
  EXPECT_EQ(refused.error().detail, "image_workers_min 5 is above image_workers_max (3)");
}

TEST(JobPool, EveryPolicyMakesAPool) {
  for (const char* policy : {"little", "queue", "spawn", "fixed"}) {
    auto settings = one_worker();
    settings.policy = policy;
    EXPECT_EQ(refusal(settings), "") << policy;
  }
}

TEST(JobPool, WrongSettingsAreNamed) {
  const auto with = [](auto change) {
    auto settings = one_worker();
    change(settings);
    return refusal(settings);
  };
  EXPECT_THAT(with([](auto& settings) { settings.policy = "magic"; }), HasSubstr("image_policy"));
  EXPECT_THAT(with([](auto& settings) { settings.queue = 0; }), HasSubstr("image_queue"));
  EXPECT_THAT(with([](auto& settings) { settings.queue = -1; }), HasSubstr("image_queue"));
  EXPECT_THAT(with([](auto& settings) { settings.niceness = 20; }), HasSubstr("image_niceness"));
  EXPECT_THAT(with([](auto& settings) { settings.workers_min = -1; }), HasSubstr("image_workers_min"));
  EXPECT_THAT(with([](auto& settings) { settings.workers_max = -1; }), HasSubstr("image_workers_max"));
  EXPECT_THAT(with([](auto& settings) { settings.name.clear(); }), HasSubstr("name"));
}

}  // namespace
}  // namespace optimux::service
