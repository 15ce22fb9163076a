// Draining, stopping, destroying (semantics 9).

#include "support/tasks.hpp"

#include <atomic>

namespace optimux::pool::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Shutdown : public ManualPool {
 protected:
  Task counting(std::atomic<int>& ran) {
    return Task([&ran](const JobContext&) { ++ran; });
  }
};

TEST_F(Shutdown, S9DrainFinishesWhatIsQueuedAndAcceptsNothingMore) {
  occupy();
  std::atomic<int> ran{0};
  for (int i = 0; i < 5; ++i) pool().try_submit(counting(ran));
  auto left = std::async(std::launch::async, [&] { return pool().drain(); });
  eventually([&] { return pool().snapshot().draining; });
  EXPECT_EQ(pool().try_submit(counting(ran)), Answer::kStopped);
  EXPECT_EQ(pool().submit(counting(ran)), Answer::kStopped);
  valve_.open();
  EXPECT_EQ(left.get(), 0U);
  EXPECT_EQ(ran, 5);
}

TEST_F(Shutdown, S9DrainGivesUpAtItsDeadlineAndSaysWhatIsLeft) {
  occupy();
  std::atomic<int> ran{0};
  for (int i = 0; i < 2; ++i) pool().try_submit(counting(ran));
  EXPECT_EQ(pool().drain(clock_->now()), 3U);
  const TimePoint deadline = clock_->now() + seconds(1);
  auto left = std::async(std::launch::async, [&] { return pool().drain(deadline); });
  eventually([&] {
    clock_->advance(milliseconds(100));
    return left.wait_for(seconds(0)) == std::future_status::ready;
  });
  EXPECT_EQ(left.get(), 3U);
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U) << "it may be called again";
  EXPECT_EQ(ran, 2);
}

TEST_F(Shutdown, S9DrainWaitsForCompletionCallbacks) {
  Valve in_callback;
  std::atomic<bool> reported{false};
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = [&](const JobEnd&) {
                      in_callback.wait();
                      reported = true;
                    }});
  in_callback.until_waiting(1);
  EXPECT_EQ(pool().drain(clock_->now()), 1U);
  auto left = std::async(std::launch::async, [&] { return pool().drain(); });
  in_callback.open();
  EXPECT_EQ(left.get(), 0U);
  EXPECT_TRUE(reported);
}

TEST_F(Shutdown, S9I7StopCancelsWhatIsQueuedAndStartsNothingMore) {
  occupy();
  std::atomic<int> ran{0};
  std::array<EndProbe, 3> probes;
  for (EndProbe& probe : probes) pool().try_submit(counting(ran), {.on_end = probe.callback()});
  pool().stop();
  for (EndProbe& probe : probes) {
    EXPECT_TRUE(probe.has_ended()) << "reported before stop returns";
    EXPECT_EQ(probe.wait().outcome, Outcome::kCancelled);
  }
  EXPECT_EQ(pool().try_submit(counting(ran)), Answer::kStopped);
  valve_.open();
  step_until([](const Snapshot& snapshot) { return snapshot.total == 0; });
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(pool().snapshot().stopped);
}

TEST_F(Shutdown, S9StopAsksRunningJobsToStop) {
  fix(2);
  std::array<EndProbe, 2> probes;
  std::atomic<int> asked{0};
  for (EndProbe& probe : probes) {
    pool().try_submit(Task([&](const JobContext& context) { asked += valve_.wait(context.stop) ? 0 : 1; }),
                      {.on_end = probe.callback()});
  }
  valve_.until_waiting(2);
  pool().stop();
  for (EndProbe& probe : probes) EXPECT_EQ(probe.wait().outcome, Outcome::kDone) << "the handler chose to finish";
  EXPECT_EQ(asked, 2);
}

TEST_F(Shutdown, S9TheDestructorWaitsForRunningJobs) {
  std::atomic<bool> finished{false};
  pool().try_submit(Task([&](const JobContext& context) {
    valve_.wait(context.stop);
    finished = true;
  }));
  valve_.until_waiting(1);
  pool_.reset();
  EXPECT_TRUE(finished);
}

TEST_F(Shutdown, S9StopAndDrainMayBeCalledByAnybodyAndAgain) {
  fix(2);
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) pool().try_submit(counting(ran));
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] {
      if (i % 2 == 0) {
        pool().drain();
      } else {
        pool().stop();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  pool().stop();
  EXPECT_EQ(pool().drain(), 0U);
  const Counters counters = pool().snapshot().counters;
  EXPECT_EQ(counters.done + counters.cancelled, 20U);
}

TEST_F(Shutdown, LimitsMayStillBeChangedAfterStop) {
  pool().stop();
  EXPECT_FALSE(pool().set_limits({1, 8, 10}));
  step_until([](const Snapshot& snapshot) { return snapshot.total == 0; });
}

TEST(ShutdownByItself, PoolsOfEverySizeComeAndGo) {
  for (int workers = 1; workers <= 40; workers += 3) {
    Config config;
    config.min_workers = config.max_workers = workers;
    config.policy = std::make_shared<FixedPolicy>(workers);
    auto pool = *TaskPool::make(config, task_worker());
    for (int i = 0; i < workers; ++i) pool->try_submit(Task([](const JobContext&) {}));
    if (workers % 2 == 0) {
      EXPECT_EQ(pool->drain(), 0U);
    }
  }
}

}  // namespace
}  // namespace optimux::pool::testing
