// Coroutine workers on the threads of a loop: what only several threads can get wrong.

#include "optimux/pool/coroutine_worker.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <atomic>
#include <latch>
#include <thread>

namespace optimux::pool {
namespace {

using std::chrono::microseconds;
using IntPool = CoroutineScaler<int>;

Config fixed(int workers) {
  Config config;
  config.min_workers = config.max_workers = workers;
  config.policy = std::make_shared<FixedPolicy>(workers);
  return config;
}

struct Ends {
  std::atomic<int> done{0};
  std::atomic<int> cancelled{0};
  std::atomic<int> other{0};
  OnEnd callback() {
    return [this](const JobEnd& end) {
      (end.outcome == Outcome::kDone ? done : end.outcome == Outcome::kCancelled ? cancelled : other)++;
    };
  }
};

TEST(CoroutineThreads, ManySubmittersAndSeveralLoopThreads) {
  auto owner = *EventLoop::make({.threads = 3});
  EventLoop& loop = *owner;
  Ends ends;
  auto pool = *IntPool::make(fixed(64), coroutine_worker<int>(loop, [&](int& job, const JobContext& context) -> Task<> {
                               if (job % 3 == 0) co_await loop.sleep_for(microseconds(job % 50));
                               if (job % 3 == 1) co_await loop.sleep_for(microseconds(10), context.stop);
                             }));
  std::vector<std::thread> submitters;
  for (int s = 0; s < 3; ++s) {
    submitters.emplace_back([&] {
      for (int i = 0; i < 3'000; ++i) pool->submit(int{i}, {.on_end = ends.callback()});
    });
  }
  for (std::thread& submitter : submitters) submitter.join();
  EXPECT_EQ(pool->drain(), 0U);
  EXPECT_EQ(ends.done, 9'000);
}

TEST(CoroutineThreads, StopInTheMiddleEndsEachJobOnce) {
  auto owner = *EventLoop::make({.threads = 2});
  EventLoop& loop = *owner;
  for (int round = 0; round < 20; ++round) {
    Ends ends;
    auto pool = *IntPool::make(fixed(8), coroutine_worker<int>(loop, [&](int&, const JobContext& context) -> Task<> {
                                 co_await loop.sleep_for(std::chrono::hours(1), context.stop);
                               }));
    int accepted = 0;
    for (int i = 0; i < 100; ++i)
      accepted += pool->try_submit(int{i}, {.on_end = ends.callback()}) == Answer::kAccepted;
    if (round % 2 == 0) pool->stop();
    pool.reset();
    EXPECT_EQ(ends.done + ends.cancelled, accepted);
    EXPECT_EQ(ends.other, 0);
  }
}

TEST(CoroutineThreads, PoolsOfEverySizeComeAndGo) {
  auto loop = *EventLoop::make({.threads = 2});
  for (int workers = 1; workers <= 40; workers += 3) {
    Ends ends;
    auto pool = *IntPool::make(fixed(workers),
                               coroutine_worker<int>(*loop, [](int&, const JobContext&) -> Task<> { co_return; }));
    for (int i = 0; i < workers; ++i) pool->submit(int{i}, {.on_end = ends.callback()});
    if (workers % 2 == 0) {
      EXPECT_EQ(pool->drain(), 0U);
    }
    pool.reset();
    EXPECT_EQ(ends.done + ends.cancelled, workers);
  }
}

TEST(CoroutineThreads, TheLoopMayStopFirst) {
  auto loop = *EventLoop::make({.threads = 2});
  Ends ends;
  {
    auto pool = *IntPool::make(fixed(4), coroutine_worker<int>(*loop, [&](int&, const JobContext&) -> Task<> {
                                 co_await loop->sleep_for(std::chrono::hours(1));
                               }));
    for (int i = 0; i < 8; ++i) pool->submit(int{i}, {.on_end = ends.callback()});
    loop->stop();
    EXPECT_EQ(pool->drain(), 0U) << "every sleep is cut short, and the threads stay while there are workers";
  }
  EXPECT_EQ(ends.done, 8);
}

TEST(CoroutineThreads, AHandlerMaySayTheOutcome) {
  auto owner = *EventLoop::make();
  EventLoop& loop = *owner;
  Ends ends;
  auto pool = *IntPool::make(fixed(1), coroutine_worker<int>(loop, [&](int&, const JobContext&) -> Task<Outcome> {
                               co_await loop.sleep_for(microseconds(1));
                               co_return Outcome::kCancelled;
                             }));
  pool->submit(1, {.on_end = ends.callback()});
  EXPECT_EQ(pool->drain(), 0U);
  EXPECT_EQ(ends.cancelled, 1);
}

/// Awaiting it goes on on a thread that is no loop's.
struct Elsewhere {
  std::vector<std::thread>& threads;
  std::mutex& mutex;
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    const std::lock_guard lock(mutex);
    threads.emplace_back([waiter] { waiter.resume(); });
  }
  void await_resume() const {}
};

TEST(CoroutineThreads, AJobMayEndOnAThreadOfItsOwnChoice) {
  auto owner = *EventLoop::make();
  EventLoop& loop = *owner;
  std::vector<std::thread> threads;
  std::mutex mutex;
  Ends ends;
  {
    auto pool = *IntPool::make(fixed(4), coroutine_worker<int>(loop, [&](int&, const JobContext&) -> Task<> {
                                 co_await Elsewhere{threads, mutex};
                               }));
    for (int i = 0; i < 50; ++i) pool->submit(int{i}, {.on_end = ends.callback()});
    EXPECT_EQ(pool->drain(), 0U);
    auto other = *IntPool::make(fixed(2), coroutine_body<int>(loop, [&](CoroutineContext<int>& context) -> Task<> {
                                  for (;;) {
                                    auto job = co_await context.take();
                                    co_await Elsewhere{threads, mutex};
                                    if (!job) co_return;
                                    job.done();
                                  }
                                }));
    for (int i = 0; i < 50; ++i) other->submit(int{i}, {.on_end = ends.callback()});
    EXPECT_EQ(other->drain(), 0U);
  }
  EXPECT_EQ(ends.done, 100);
  for (std::thread& thread : threads) thread.join();
}

TEST(CoroutineThreads, TheCpuTimeOfJobsIsKnown) {
  auto loop = *EventLoop::make();
  auto pool = *IntPool::make(fixed(1), coroutine_worker<int>(*loop, [](int&, const JobContext&) -> Task<> {
                               const TimePoint end = Clock::steady()->now() + std::chrono::milliseconds(2);
                               while (Clock::steady()->now() < end) {
                               }
                               co_return;
                             }));
  for (int i = 0; i < 3; ++i) pool->submit(int{i});
  pool->drain();
  pool->step();
  EXPECT_GT(pool->snapshot().cpu_per_job, Duration::zero());
  EXPECT_LE(pool->snapshot().cpu_per_job, pool->snapshot().run_time + std::chrono::milliseconds(1));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(NDEBUG)
// All that an idle worker costs, as the allocator counts it: its place in the hand-off, in the crew and in the
// registry.
TEST(CoroutineThreads, AnIdleWorkerCostsAtMost200Bytes) {
  constexpr int kWorkers = 100'000;
  auto loop = *EventLoop::make();
  const auto allocated = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = allocated();
  auto pool = *IntPool::make(fixed(kWorkers), coroutine_worker<int>(*loop, [&](int&, const JobContext&) -> Task<> {
                               co_await loop->sleep_for(std::chrono::milliseconds(1));
                             }));
  while (pool->snapshot().idle < kWorkers) std::this_thread::yield();
  EXPECT_LE((allocated() - before) / kWorkers, 200U);
}
#endif

}  // namespace
}  // namespace optimux::pool
