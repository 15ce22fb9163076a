/// \file
/// Jobs, pools and waits that the tests share. The same tests are compiled twice: for workers that are threads, and,
/// with OPTIMUX_POOL_TEST_COROUTINES, for workers that are coroutines.
#pragma once

#include "optimux/pool/pool.hpp"

#include <gtest/gtest.h>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace optimux::pool::testing {

/// A job that is a function. Not copyable and not default-constructible, as jobs may be.
class Task {
 public:
  template <class Run>
  requires(!std::is_same_v<std::decay_t<Run>, Task>) explicit Task(Run&& run) : run_(std::forward<Run>(run)) {}
  void operator()(const JobContext& context) { run_(context); }
  explicit operator bool() const { return static_cast<bool>(run_); }

 private:
  UniqueFunction<void(const JobContext&)> run_;
};

}  // namespace optimux::pool::testing

#if defined(OPTIMUX_POOL_TEST_COROUTINES)

extern template class optimux::pool::CoroutineCrew<optimux::pool::testing::Task>;
extern template class optimux::pool::DynamicScaler<optimux::pool::testing::Task, optimux::pool::CoroutineCrew>;

namespace optimux::pool::testing {

using TaskPool = CoroutineScaler<Task>;
using TaskFactory = CoroutineFactory<Task>;

/// Has a thread for each of the first 64 workers of a pool: the jobs of these tests block where they run.
inline EventLoop& roomy_loop() {
  static const std::unique_ptr<EventLoop> loop = *EventLoop::make({.threads = 64});
  return *loop;
}

/// Workers that run tasks.
inline TaskFactory task_worker() {
  return coroutine_worker<Task>(roomy_loop(), [](Task& task, const JobContext& context) -> pool::Task<> {
    task(context);
    co_return;
  });
}
/// The same, but they say so when a task ended because its token had fired.
inline TaskFactory candid_task_worker() {
  return coroutine_worker<Task>(roomy_loop(), [](Task& task, const JobContext& context) -> pool::Task<Outcome> {
    task(context);
    co_return context.stop.stop_requested() ? Outcome::kCancelled : Outcome::kDone;
  });
}

}  // namespace optimux::pool::testing

#else

// Made once, in tasks.cpp: the test files compile several times as fast.
extern template class optimux::pool::HandOff<optimux::pool::testing::Task>;
extern template class optimux::pool::ThreadCrew<optimux::pool::testing::Task>;
extern template class optimux::pool::DynamicScaler<optimux::pool::testing::Task>;

namespace optimux::pool::testing {

using TaskPool = DynamicScaler<Task>;
using TaskFactory = WorkerFactory<Task>;

/// Workers that run tasks.
inline TaskFactory task_worker() {
  return handler_worker<Task>([](Task& task, const JobContext& context) { task(context); });
}
/// The same, but they say so when a task ended because its token had fired.
inline TaskFactory candid_task_worker() {
  return handler_worker<Task>([](Task& task, const JobContext& context) {
    task(context);
    return context.stop.stop_requested() ? Outcome::kCancelled : Outcome::kDone;
  });
}

}  // namespace optimux::pool::testing

#endif

namespace optimux::pool::testing {

/// Waits for something that other threads are about to do. Never for time to pass: it only yields.
inline void eventually(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::yield();
}

/// Jobs wait at it until it is opened.
class Valve {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
  }
  /// As `wait`, but also ends when `stop` fires. Returns false then.
  bool wait(const std::stop_token& stop) {
    std::stop_callback wake(stop, [&] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || stop.stop_requested(); });
    --waiting_;
    return open_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Blocks until `count` jobs wait at it.
  void until_waiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

/// Hands the end of a job to the test.
class EndProbe {
 public:
  [[nodiscard]] OnEnd callback() {
    return [this](JobEnd end) { promise_.set_value(std::move(end)); };
  }
  /// Blocks until the job has ended. Once.
  JobEnd wait() { return future_.get(); }
  [[nodiscard]] bool has_ended() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

 private:
  std::promise<JobEnd> promise_;
  std::future<JobEnd> future_ = promise_.get_future();
};

/// A pool whose clock and control are the test's.
class ManualPool : public ::testing::Test {
 protected:
  ManualPool() {
    config_.clock = clock_;
    config_.control = Control::kByCaller;
    config_.cpu_counter = [] { return CpuCount{4, 4, {}, "test"}; };
    fix(1);
  }

  /// The policy from now on: always `workers`, with limits that allow them.
  void fix(int workers) {
    config_.min_workers = std::min(workers, 1);
    config_.max_workers = std::max(workers, 1);
    config_.policy = std::make_shared<FixedPolicy>(workers);
  }
  TaskPool& pool() {
    if (!pool_) pool_ = *TaskPool::make(config_, factory_);
    return *pool_;
  }
  void step_after(Duration pause) {
    clock_->advance(pause);
    pool().step();
  }
  /// Steps until `holds`.
  void step_until(const std::function<bool(const Snapshot&)>& holds) {
    eventually([&] {
      pool().step();
      return holds(pool().snapshot());
    });
  }
  void until_idle(int workers) {
    eventually([&] { return pool().snapshot().idle == workers; });
  }
  /// Occupies one worker with a job that waits at `valve_`, and waits until it does.
  void occupy(int workers = 1) {
    for (int i = 0; i < workers; ++i) {
      ASSERT_EQ(pool().try_submit(Task([this](const JobContext&) { valve_.wait(); })), Answer::kAccepted);
    }
    valve_.until_waiting(workers);
  }
  void TearDown() override {
    valve_.open();
    pool_.reset();
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  Valve valve_;
  Config config_;
  TaskFactory factory_ = task_worker();
  std::unique_ptr<TaskPool> pool_;
};

}  // namespace optimux::pool::testing
