// Jobs whose move throws, memory that runs out, callables that are empty: nothing is lost and nobody is left asleep.

#include "optimux/pool/dynamic_scaler.hpp"
#include "support/failing_allocation.hpp"

#include <gtest/gtest.h>
#include <atomic>
#include <thread>
#include <vector>

namespace optimux::pool::testing {
namespace {

/// Its move throws if it is told to.
struct Heavy {
  explicit Heavy(bool is_too_heavy = false) : too_heavy(is_too_heavy) {}
  Heavy(Heavy&& other) : too_heavy(other.too_heavy) {  // NOLINT(*noexcept*): that is what is tested
    if (too_heavy) throw std::bad_alloc();
  }
  Heavy& operator=(Heavy&&) = delete;
  Heavy(const Heavy&) = delete;
  Heavy& operator=(const Heavy&) = delete;
  ~Heavy() = default;
  bool too_heavy;
};

class ExceptionSafety : public ::testing::Test {
 protected:
  ExceptionSafety() {
    Config config;
    config.min_workers = config.max_workers = 1;
    config.queue_capacity = 4;
    config.control = Control::kByCaller;
    pool_ = *DynamicScaler<Heavy>::make(config, handler_worker<Heavy>([this](Heavy&, const JobContext&) { ++ran_; }));
    until_parked();
  }
  void until_parked() {
    while (pool_->snapshot().idle < 1) std::this_thread::yield();
  }
  static JobOptions patient() { return {.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)}; }
  /// The next job still wakes the worker, which is parked, and the figures know of no other.
  void expect_nothing_lost(int ran) {
    pool_->try_submit(Heavy());
    while (ran_ < ran) std::this_thread::yield();
    const Snapshot snapshot = pool_->snapshot();
    EXPECT_EQ(snapshot.counters.accepted, static_cast<std::uint64_t>(ran));
    EXPECT_EQ(pool_->drain(), 0U);
  }

  std::atomic<int> ran_{0};
  std::unique_ptr<DynamicScaler<Heavy>> pool_;
};

TEST_F(ExceptionSafety, I8APlainJobThatCannotBeMovedIsNotAcceptedAndTheNextOneRuns) {
  EXPECT_THROW(pool_->try_submit(Heavy(true)), std::bad_alloc);
  expect_nothing_lost(1);
}

TEST_F(ExceptionSafety, I8AJobWithADeadlineThatCannotBeMovedIsNotAcceptedAndTheNextOneRuns) {
  EXPECT_THROW(pool_->try_submit(Heavy(true), patient()), std::bad_alloc);
  expect_nothing_lost(1);
}

TEST_F(ExceptionSafety, I8APlaceThatIsMissingForADeadlineIsNoPlaceAndTheNextJobRuns) {
  {
    const FailingAllocation none;
    EXPECT_THROW(pool_->try_submit(Heavy(), patient()), std::bad_alloc);
  }
  expect_nothing_lost(1);
}

TEST_F(ExceptionSafety, I8TheJobsBeforeTheOneThatCannotBeMovedRun) {
  for (const bool plain : {true, false}) {
    std::vector<Heavy> jobs;
    jobs.reserve(3);
    for (int i = 0; i < 3; ++i) jobs.emplace_back(i == 2);
    std::vector<JobOptions> options(plain ? 0 : 3);
    for (JobOptions& one : options) one = patient();
    const int before = ran_;
    until_parked();
    EXPECT_THROW(pool_->submit_batch(jobs, options), std::bad_alloc);
    while (ran_ < before + 2) std::this_thread::yield();
  }
  expect_nothing_lost(5);
}

TEST(PopBatch, I4TakesNoJobsThatItHasNoRoomFor) {
  Config config;
  config.min_workers = config.max_workers = 1;
  std::atomic<int> refused{0};
  std::atomic<int> ran{0};
  std::atomic<std::size_t> largest{0};
  std::atomic<bool> may_begin{false};
  auto made = DynamicScaler<int>::make(config, [&](WorkerIndex) -> WorkerBody<int> {
    return [&](WorkerContext<int>& context) {
      while (!may_begin) std::this_thread::yield();
      std::vector<Lease<int>> leases;
      try {
        const FailingAllocation none;
        context.pop_batch(leases, 8);
      } catch (const std::bad_alloc&) {
        ++refused;
      }
      while (context.pop_batch(leases, ~std::size_t{0}) > 0) {
        largest = std::max<std::size_t>(largest, leases.size());
        for (Lease<int>& lease : leases) {
          ++ran;
          lease.done();
        }
      }
    };
  });
  auto pool = *std::move(made);
  for (int i = 0; i < 5; ++i) pool->try_submit(int(i));
  may_begin = true;
  EXPECT_EQ(pool->drain(), 0U);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(ran, 5);
  EXPECT_EQ(largest, 5U);
}

TEST(UniqueFunction, OfAnEmptyCallableIsEmpty) {
  EXPECT_FALSE(UniqueFunction<void()>(std::function<void()>()));
  EXPECT_FALSE(UniqueFunction<void()>(static_cast<void (*)()>(nullptr)));
  const std::function<void()> none;
  EXPECT_FALSE(UniqueFunction<void()>(none));
  int calls = 0;
  UniqueFunction<void()> some = std::function<void()>([&] { ++calls; });
  ASSERT_TRUE(some);
  some();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(UniqueFunction<void()>([] {}));
}

TEST_F(ExceptionSafety, AnEmptyFunctionAsCallbackTellsNobody) {
  const std::function<void(JobEnd)> nobody;
  pool_->try_submit(Heavy(), {.on_end = nobody});
  EXPECT_EQ(pool_->drain(), 0U);
  EXPECT_EQ(ran_, 1);
}

}  // namespace
}  // namespace optimux::pool::testing
