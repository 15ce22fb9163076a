// How workers wait, what they own and how they are written (semantics 6 and 12).

#include "support/tasks.hpp"

#include <atomic>
#include <set>

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

}  // namespace
}  // namespace optimux::pool::testing
