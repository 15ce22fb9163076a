#include "optimux/pool/dynamic_scaler.hpp"

#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <mutex>
#include <vector>

namespace optimux::pool {
namespace {

using IntPool = DynamicScaler<std::unique_ptr<int>>;

Config fixed(int workers) {
  Config config;
  config.max_workers = workers;
  config.min_workers = workers;
  config.policy = std::make_shared<FixedPolicy>(workers);
  return config;
}

TEST(DynamicScaler, RunsEveryJobAndTellsItsSubmitter) {
  constexpr int kJobs = 1000;
  std::atomic<int> sum{0};
  std::latch ended(kJobs);
  auto pool = *IntPool::make(fixed(3), handler_worker<std::unique_ptr<int>>(
                                           [&](std::unique_ptr<int>& job, const JobContext&) { sum += *job; }));
  for (int i = 0; i < kJobs; ++i) {
    const Answer answer = pool->try_submit(std::make_unique<int>(1), {.on_end = [&](JobEnd end) {
                                             EXPECT_EQ(end.outcome, Outcome::kDone);
                                             ended.count_down();
                                           }});
    ASSERT_EQ(answer, Answer::kAccepted);
  }
  ended.wait();
  EXPECT_EQ(sum, kJobs);
  EXPECT_EQ(pool->drain(), 0U);
  const Snapshot snapshot = pool->snapshot();
  EXPECT_EQ(snapshot.counters.done, static_cast<std::uint64_t>(kJobs));
  EXPECT_EQ(snapshot.live, 3);
  EXPECT_EQ(snapshot.queue_depth, 0U);
}

TEST(DynamicScaler, AJobWithANameIsCopied) {
  std::vector<std::string> ran;
  auto pool = *DynamicScaler<std::string>::make(
      fixed(1), handler_worker<std::string>([&](std::string& job, const JobContext&) { ran.push_back(job); }));
  const std::string job(100, 'x');
  EXPECT_EQ(pool->submit(job), Answer::kAccepted);
  EXPECT_EQ(pool->try_submit(job), Answer::kAccepted);
  EXPECT_EQ(pool->drain(), 0U);
  EXPECT_EQ(ran, (std::vector<std::string>{job, job}));
  EXPECT_EQ(job, std::string(100, 'x'));
}

TEST(DynamicScaler, UsingOneThatCouldNotBeMadeSaysWhy) {
  const auto make = [] {
    Config config = fixed(1);
    config.queue_capacity = 0;
    return IntPool::make(config, handler_worker<std::unique_ptr<int>>([](auto&, const JobContext&) {}));
  };
  EXPECT_DEATH((*make())->stop(), "queue_capacity must be from 1 to");
  EXPECT_DEATH(make().value()->stop(), "queue_capacity must be from 1 to");
  EXPECT_DEATH((void)Made<int>(3).error(), "the error of what was made without one");
}

TEST(DynamicScaler, ARefusedJobStaysWithTheCaller) {
  auto pool = *IntPool::make(fixed(1), handler_worker<std::unique_ptr<int>>([](auto&, const JobContext&) {}));
  pool->stop();
  auto job = std::make_unique<int>(7);
  EXPECT_EQ(pool->try_submit(std::move(job)), Answer::kStopped);
  ASSERT_TRUE(job);    // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(*job, 7);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace optimux::pool
