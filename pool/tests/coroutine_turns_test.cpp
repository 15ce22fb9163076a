// What of a coroutine worker's life happens in which turn of its loop thread.

#include "optimux/pool/coroutine_worker.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

using std::chrono::seconds;

struct Nap {
  bool sleeps;
};
using Pool = CoroutineScaler<Nap>;

/// One worker whose jobs sleep for a second, or not at all.
class CoroutineTurns : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.clock = clock_;
    config_.control = Control::kByCaller;
    config_.min_workers = config_.max_workers = 1;
    config_.queue_capacity = 100'000;
    pool_ = *Pool::make(config_, factory_);
    loop_->turn();
  }
  Task<> run(bool sleeps) {
    deepest_ = std::max(deepest_, ++depth_);
    ++begun_;
    if (sleeps) {
      --depth_;
      co_await loop_->sleep_for(seconds(1));
      ++depth_;
    }
    --depth_;
  }
  void TearDown() override {
    pool_->stop();
    while (pool_->snapshot().total > 0) {
      clock_->advance(seconds(1));
      loop_->turn();
      pool_->step();
    }
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<EventLoop> loop_ = *EventLoop::make({.clock = clock_, .own_threads = false});
  Config config_;
  CoroutineFactory<Nap> factory_ =
      coroutine_worker<Nap>(*loop_, [this](Nap& nap, const JobContext&) { return run(nap.sleeps); });
  int begun_ = 0;
  int depth_ = 0;
  int deepest_ = 0;
  std::unique_ptr<Pool> pool_;
};

TEST_F(CoroutineTurns, AJobThatFollowsOneThatWaitedBeginsInTheSameTurn) {
  pool_->submit(Nap{true});
  pool_->submit(Nap{true});
  while (begun_ == 0) loop_->turn();
  clock_->advance(seconds(1));
  loop_->turn();
  EXPECT_EQ(begun_, 2);
}

TEST_F(CoroutineTurns, JobsThatWaitForNothingHaveATurnEach) {
  for (int i = 0; i < 5; ++i) pool_->submit(Nap{false});
  while (begun_ == 0) loop_->turn();
  for (int i = 2; i <= 5; ++i) {
    loop_->turn();
    EXPECT_EQ(begun_, i);
  }
}

TEST_F(CoroutineTurns, JobsDoNotStandOnTopOfEachOther) {
  pool_->submit(Nap{true});
  for (int i = 0; i < 50'000; ++i) pool_->submit(Nap{false});
  while (begun_ == 0) loop_->turn();
  clock_->advance(seconds(1));
  while (begun_ <= 50'000) loop_->turn();
  EXPECT_LE(deepest_, 2);
}

}  // namespace
}  // namespace optimux::pool
