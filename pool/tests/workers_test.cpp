// How workers wait, what they own and how they are written (semantics 6 and 12).

#include "support/tasks.hpp"

#include <atomic>
#include <set>

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace optimux::pool::testing {
namespace {

class Workers : public ManualPool {};

TEST_F(Workers, S6AnIdlePoolIsNotWoken) {
  fix(3);
  pool();
  until_idle(3);
  for (int i = 0; i < 50; ++i) step_after(std::chrono::seconds(1));
  EXPECT_EQ(pool().snapshot().idle, 3);
  EXPECT_EQ(pool().snapshot().counters.wakes_for_jobs, 0U);
}

TEST_F(Workers, S6TheWorkerThatParkedLastGetsTheNextJob) {
  fix(2);
  occupy(2);
  valve_.open();
  until_idle(2);
  EndProbe first;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = first.callback()});
  const WorkerIndex warm = first.wait().worker;
  for (int i = 0; i < 20; ++i) {
    until_idle(2);
    EndProbe next;
    pool().try_submit(Task([](const JobContext&) {}), {.on_end = next.callback()});
    EXPECT_EQ(next.wait().worker, warm);
  }
}

TEST_F(Workers, S6TakeReturnsOnlyWithAJobARetirementOrAStop) {
  fix(4);
  std::atomic<std::uint64_t> jobs{0};
  std::atomic<int> empty{0};
  std::atomic<int> without_reason{0};
  factory_ = [&](WorkerIndex) -> WorkerBody<Task> {
    return [&](WorkerContext<Task>& context) {
      for (;;) {
        auto job = context.take();
        if (!job) {
          ++empty;
          if (!context.asked_to_leave()) ++without_reason;
          return;
        }
        ++jobs;
        job.done();
      }
    };
  };
  for (int i = 0; i < 2'000; ++i) pool().submit(Task([](const JobContext&) {}));
  pool().drain();
  EXPECT_LE(pool().snapshot().counters.wakes_for_jobs, 2'000U);
  pool_.reset();
  EXPECT_EQ(jobs, 2'000U);
  EXPECT_EQ(empty, 4) << "once for each worker, when it leaves";
  EXPECT_EQ(without_reason, 0);
}

struct Tally {
  std::thread::id made_on;
  int jobs = 0;
};

TEST_F(Workers, S12EachWorkerOwnsItsState) {
  fix(2);
  std::mutex mutex;
  std::set<const Tally*> states;
  std::atomic<int> on_the_wrong_thread{0};
  factory_ = stateful_worker<Task>([](WorkerIndex) { return Tally{std::this_thread::get_id()}; },
                                   [&](Task& task, const JobContext& context, Tally& tally) {
                                     if (tally.made_on != std::this_thread::get_id()) ++on_the_wrong_thread;
                                     ++tally.jobs;
                                     {
                                       const std::lock_guard lock(mutex);
                                       states.insert(&tally);
                                     }
                                     task(context);
                                   });
  occupy(2);
  EXPECT_EQ(states.size(), 2U);
  EXPECT_EQ(on_the_wrong_thread, 0);
}

TEST_F(Workers, S12StateIsDestroyedWhenItsWorkerLeaves) {
  const auto held = std::make_shared<int>(1);
  factory_ = stateful_worker<Task>([held](WorkerIndex) { return held; },
                                   [](Task& task, const JobContext& context, std::shared_ptr<int>&) { task(context); });
  pool();
  until_idle(1);
  const long with_the_worker = held.use_count();
  pool().stop();
  step_until([](const Snapshot& snapshot) { return snapshot.total == 0; });
  EXPECT_LT(held.use_count(), with_the_worker);
  pool_.reset();
  factory_ = nullptr;
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(Workers, TheThreadStartHookRunsFirstOnEachThread) {
  fix(2);
  std::mutex mutex;
  std::map<std::thread::id, WorkerIndex> hooked;
  std::atomic<int> not_hooked{0};
  config_.on_thread_start = [&](WorkerIndex index) {
    const std::lock_guard lock(mutex);
    hooked[std::this_thread::get_id()] = index;
  };
  factory_ = handler_worker<Task>([&](Task& task, const JobContext& context) {
    {
      const std::lock_guard lock(mutex);
      const auto at = hooked.find(std::this_thread::get_id());
      if (at == hooked.end() || at->second != context.worker) ++not_hooked;
    }
    task(context);
  });
  occupy(2);
  EXPECT_EQ(not_hooked, 0);
  EXPECT_EQ(hooked.size(), 2U);
}

#if defined(__linux__)
TEST_F(Workers, GiveWayWhileTheyWaitAndNotInTheMiddleOfAJob) {
  std::atomic<pid_t> thread{0};
  std::atomic<int> policy{-1};
  const auto look = [&](const JobContext&) {
    thread = static_cast<pid_t>(::syscall(SYS_gettid));
    policy = ::sched_getscheduler(0);
  };
  until_idle(1);
  for (int i = 0; i < 2; ++i) {
    EndProbe probe;
    pool().try_submit(Task(look), {.on_end = probe.callback()});
    probe.wait();
    EXPECT_EQ(policy, SCHED_OTHER);
    eventually([&] { return ::sched_getscheduler(thread) == SCHED_BATCH; });
  }
}

TEST_F(Workers, KeepAPolicyThatSomebodyHasChosen) {
  config_.on_thread_start = [](WorkerIndex) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
  };
  std::atomic<int> policy{-1};
  until_idle(1);
  EndProbe probe;
  pool().try_submit(Task([&](const JobContext&) { policy = ::sched_getscheduler(0); }), {.on_end = probe.callback()});
  probe.wait();
  EXPECT_EQ(policy, SCHED_IDLE);
}
#endif

TEST_F(Workers, S12AHandWrittenBodySeesJobDeadlineAndToken) {
  const TimePoint deadline = clock_->now() + std::chrono::seconds(9);
  std::atomic<bool> right{false};
  factory_ = [&](WorkerIndex index) -> WorkerBody<Task> {
    return [&, index](WorkerContext<Task>& context) {
      while (auto job = context.take()) {
        right = job.deadline() == deadline && job.stop_token().stop_possible() && context.index() == index &&
                !context.stop_token().stop_requested() && &context.clock() == clock_.get();
        job.cancel();
      }
    };
  };
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.deadline = deadline, .on_end = probe.callback()});
  EXPECT_EQ(probe.wait().outcome, Outcome::kCancelled);
  EXPECT_TRUE(right);
}

TEST_F(Workers, ALeaseThatIsDroppedFailsItsJob) {
  factory_ = [&](WorkerIndex) -> WorkerBody<Task> {
    return [&](WorkerContext<Task>& context) {
      while (auto job = context.take()) (*job)(JobContext{});  // and forgets to say how it ended
    };
  };
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()});
  const JobEnd end = probe.wait();
  EXPECT_EQ(end.outcome, Outcome::kFailed);
  EXPECT_THROW(std::rethrow_exception(end.error), AbandonedJob);
}

TEST(ThreadCpuTime, CountsTheTimeOfEachJobOnItsThread) {
  // On the real clock: a job that computes until 2 ms of CPU time are gone has used at least those.
  Config config;
  config.min_workers = config.max_workers = 1;
  config.policy = std::make_shared<FixedPolicy>(1);
  auto pool = *TaskPool::make(config, task_worker());
  EndProbe probe;
  pool->try_submit(Task([](const JobContext&) {
                     timespec begin{};
                     timespec now{};
                     ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
                     do {
                       ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
                     } while ((now.tv_sec - begin.tv_sec) * 1'000'000'000 + now.tv_nsec - begin.tv_nsec < 2'000'000);
                   }),
                   {.on_end = probe.callback()});
  probe.wait();
  pool->step();
  EXPECT_GE(pool->snapshot().cpu_per_job, std::chrono::milliseconds(2));
  EXPECT_LE(pool->snapshot().cpu_per_job, pool->snapshot().run_time + std::chrono::milliseconds(1));
}

// A worker that is occupied until the jobs of its next batch all wait.
class BatchTest : public ManualPool {
 protected:
  /// Queues `count` jobs behind the one that the worker is busy with.
  void queue(int count) {
    occupy();
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(pool().try_submit(Task([this](const JobContext&) { ++ran_; }), {.on_end = note()}), Answer::kAccepted);
    }
  }
  OnEnd note() {
    return [this](JobEnd end) { ends_.push_back(std::move(end)); };
  }
  int ran_ = 0;               // by the one worker
  std::vector<JobEnd> ends_;  // by the one worker; read after a drain
  std::vector<std::size_t> sizes_;
  WorkerFactory<Task> batching_ = [this](WorkerIndex) -> WorkerBody<Task> {
    return [this](WorkerContext<Task>& context) {
      std::vector<Lease<Task>> leases;
      while (context.pop_batch(leases, 3) > 0) {
        sizes_.push_back(leases.size());
        for (Lease<Task>& lease : leases) {
          (*lease)({lease.stop_token(), lease.waited(), lease.deadline(), context.index()});
          lease.done();
        }
      }
    };
  };
};

TEST_F(BatchTest, PopBatchTakesAtMostSoManyInOrder) {
  factory_ = batching_;
  queue(7);
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U);
  EXPECT_EQ(sizes_, (std::vector<std::size_t>{1, 3, 3, 1}));
  EXPECT_EQ(ran_, 7);
  EXPECT_EQ(ends_.size(), 7U);
  const Snapshot snapshot = pool().snapshot();
  EXPECT_EQ(snapshot.counters.done, 8U);
  EXPECT_EQ(snapshot.in_flight, 0);
}

TEST_F(BatchTest, I4ALeaseThatIsDroppedWithItsBatchFailsItsJob) {
  factory_ = [](WorkerIndex) -> WorkerBody<Task> {
    return [](WorkerContext<Task>& context) {
      std::vector<Lease<Task>> leases;
      while (context.pop_batch(leases, 3) > 0) {
        (*leases.front())({{}, {}, kNever, 0});
        leases.front().done();
      }
    };
  };
  queue(3);
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U);
  ASSERT_EQ(ends_.size(), 3U);
  EXPECT_EQ(ends_[0].outcome, Outcome::kDone);
  EXPECT_EQ(ends_[1].outcome, Outcome::kFailed);
  EXPECT_EQ(ends_[2].outcome, Outcome::kFailed);
}

TEST_F(BatchTest, BatchingWorkerRunsNoJobThatIsCancelledOrExpiresBeforeItsTurn) {
  factory_ = batching_worker<Task>(4, [](Task& task, const JobContext& context) { task(context); });
  std::stop_source cancelled;
  occupy();
  const TimePoint soon = clock_->now() + std::chrono::seconds(1);
  ASSERT_EQ(pool().try_submit(Task([&](const JobContext&) {
                                cancelled.request_stop();
                                clock_->advance(std::chrono::seconds(2));
                              }),
                              {.on_end = note()}),
            Answer::kAccepted);
  for (const bool by_deadline : {false, true}) {
    JobOptions options;
    options.on_end = note();
    if (by_deadline) options.deadline = soon;
    if (!by_deadline) options.stop = cancelled.get_token();
    ASSERT_EQ(pool().try_submit(Task([this](const JobContext&) { ++ran_; }), std::move(options)), Answer::kAccepted);
  }
  valve_.open();
  EXPECT_EQ(pool().drain(), 0U);
  ASSERT_EQ(ends_.size(), 3U);
  EXPECT_EQ(ends_[1].outcome, Outcome::kCancelled);
  EXPECT_EQ(ends_[2].outcome, Outcome::kExpired);
  EXPECT_EQ(ends_[1].worker, kNoWorker);
  EXPECT_EQ(ends_[2].worker, kNoWorker);
  EXPECT_EQ(ran_, 0);
}

TEST_F(BatchTest, I7StopEndsWhatABatchHasNotBegun) {
  factory_ = batching_worker<Task>(4, [](Task& task, const JobContext& context) { task(context); });
  queue(0);
  Valve inside;
  ASSERT_EQ(pool().try_submit(Task([&](const JobContext&) { inside.wait(); }), {.on_end = note()}), Answer::kAccepted);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(pool().try_submit(Task([this](const JobContext&) { ++ran_; }), {.on_end = note()}), Answer::kAccepted);
  }
  valve_.open();
  inside.until_waiting(1);
  pool().stop();
  inside.open();
  EXPECT_EQ(pool().drain(), 0U);
  EXPECT_EQ(ran_, 0);
  ASSERT_EQ(ends_.size(), 3U);
  EXPECT_EQ(ends_[1].outcome, Outcome::kCancelled);
  EXPECT_EQ(ends_[2].outcome, Outcome::kCancelled);
}

}  // namespace
}  // namespace optimux::pool::testing
