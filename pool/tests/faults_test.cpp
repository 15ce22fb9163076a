// What can go wrong, made to go wrong: factories, threads, workers, jobs, policies (semantics 5 and 7).

#include "support/tasks.hpp"

#include <atomic>
#include <stdexcept>
#include <system_error>

namespace optimux::pool::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Faults : public ManualPool {};

TEST_F(Faults, AFactoryThatThrowsIsTriedAgainAndNoJobIsLost) {
  int failures = 3;
  factory_ = [&, good = task_worker()](WorkerIndex index) {
    if (failures-- > 0) throw std::runtime_error("licence server is down");
    return good(index);
  };
  EXPECT_EQ(pool().snapshot().total, 0) << "the pool exists all the same";
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()});
  for (int i = 0; i < 10; ++i) step_after(milliseconds(200));
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 3U);
}

TEST_F(Faults, AFactoryThatMakesNoBodyCountsAsAFailureToStart) {
  int empty = 2;
  factory_ = [&, good = task_worker()](WorkerIndex index) {
    return empty-- > 0 ? WorkerBody<Task>(std::function<void(WorkerContext<Task>&)>()) : good(index);
  };
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()});
  for (int i = 0; i < 10; ++i) step_after(milliseconds(200));
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 2U);
}

TEST_F(Faults, AThreadThatCannotBeCreatedStrandsNoJob) {
  int refusals = 2;
  config_.start_thread = [&](UniqueFunction<void()> run) {
    if (refusals-- > 0) throw std::system_error(EAGAIN, std::generic_category(), "no more threads");
    return std::thread(std::move(run));
  };
  EndProbe probe;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()});
  for (int i = 0; i < 10; ++i) step_after(milliseconds(200));
  EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 2U);
  EXPECT_EQ(pool().snapshot().total, 1);
}

TEST_F(Faults, GrowthStopsWhereThreadsEndAndTheRestGoesOn) {
  int allowed = 2;
  config_.start_thread = [&](UniqueFunction<void()> run) {
    if (allowed-- <= 0) throw std::system_error(EAGAIN, std::generic_category());
    return std::thread(std::move(run));
  };
  fix(5);
  occupy(2);
  EXPECT_EQ(pool().snapshot().live, 2);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 1U) << "one refusal ends the round";
}

TEST_F(Faults, S7AWorkerThatThrowsIsReclaimedAndReplacedAndItsJobFails) {
  factory_ = [](WorkerIndex index) -> WorkerBody<Task> {
    return [index](WorkerContext<Task>& context) {
      while (auto job = context.take()) {
        if (index == 0) throw std::runtime_error("the worker falls over");
        job.done();
      }
    };
  };
  EndProbe first;
  EndProbe second;
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = first.callback()});
  pool().try_submit(Task([](const JobContext&) {}), {.on_end = second.callback()});
  const JobEnd end = first.wait();
  EXPECT_EQ(end.outcome, Outcome::kFailed);
  EXPECT_THROW(std::rethrow_exception(end.error), AbandonedJob);
  step_until([](const Snapshot& snapshot) { return snapshot.counters.workers_crashed == 1; });
  EXPECT_EQ(second.wait().outcome, Outcome::kDone);
  EXPECT_EQ(pool().snapshot().live, 1);
  EXPECT_EQ(pool().snapshot().counters.start_failures, 0U) << "it had worked: no back-off";
}

TEST_F(Faults, S7AWorkerThatReturnsUnaskedIsReplaced) {
  std::atomic<int> bodies{0};
  factory_ = [&](WorkerIndex) -> WorkerBody<Task> {
    return [&](WorkerContext<Task>& context) {
      ++bodies;
      if (auto job = context.take()) job.done();  // and goes home after one
    };
  };
  for (int i = 0; i < 5; ++i) pool().try_submit(Task([](const JobContext&) {}));
  step_until([](const Snapshot& snapshot) { return snapshot.counters.done == 5; });
  step_until([](const Snapshot& snapshot) { return snapshot.counters.workers_crashed == 5; });
  step_until([&](const Snapshot&) { return bodies == 6; });
}

TEST_F(Faults, S5TheFloorIsRefilledThroughACrashStorm) {
  fix(4);
  config_.min_workers = 4;
  std::atomic<int> to_crash{40};
  factory_ = [&](WorkerIndex) -> WorkerBody<Task> {
    return [&](WorkerContext<Task>& context) {
      while (auto job = context.take()) {
        job.done();
        if (to_crash-- > 0) throw std::runtime_error("storm");
      }
    };
  };
  for (int i = 0; i < 200; ++i) ASSERT_EQ(pool().try_submit(Task([](const JobContext&) {})), Answer::kAccepted);
  step_until([](const Snapshot& snapshot) {
    EXPECT_LE(snapshot.total, 4) << "I1";
    return snapshot.counters.done == 200 && snapshot.live == 4 && snapshot.counters.workers_crashed == 40;
  });
}

TEST_F(Faults, AThreadStartHookThatThrowsCountsAsAFailureToStart) {
  std::atomic<int> failures{1};
  config_.on_thread_start = [&](WorkerIndex) {
    if (failures-- > 0) throw std::runtime_error("nice is not allowed");
  };
  pool();
  step_until([](const Snapshot& snapshot) { return snapshot.counters.start_failures == 1; });
  EXPECT_EQ(pool().snapshot().total, 0);
  step_after(milliseconds(100));
  until_idle(1);
}

TEST_F(Faults, AStateThatCannotBeMadeCountsAsAFailureToStart) {
  std::atomic<int> failures{1};
  factory_ = stateful_worker<Task>(
      [&](WorkerIndex index) {
        if (failures-- > 0) throw std::runtime_error("no licence");
        return index;
      },
      [](Task& task, const JobContext& context, WorkerIndex&) { task(context); });
  pool();
  step_until([](const Snapshot& snapshot) { return snapshot.counters.start_failures == 1; });
  step_after(milliseconds(100));
  until_idle(1);
}

TEST_F(Faults, APolicyThatThrowsLeavesThePoolAsItIs) {
  class Broken final : public Policy {
   public:
    [[nodiscard]] std::string_view name() const override { return "broken"; }
    [[nodiscard]] Duration interval() const override { return seconds(1); }
    [[nodiscard]] Verdict decide(const Snapshot& /*snapshot*/, TimePoint /*now*/) const override {
      throw std::runtime_error("no idea");
    }
  };
  config_.policy = std::make_shared<Broken>();
  config_.min_workers = config_.max_workers = 2;
  occupy(2);
  step_after(seconds(1));
  EXPECT_EQ(pool().decisions().back().reason, Reason::kPolicyFailed);
  EXPECT_EQ(pool().snapshot().live, 2);
}

TEST_F(Faults, ASlowJobHoldsUpNobodyElse) {
  fix(2);
  occupy(1);
  for (int i = 0; i < 50; ++i) {
    EndProbe probe;
    ASSERT_EQ(pool().try_submit(Task([](const JobContext&) {}), {.on_end = probe.callback()}), Answer::kAccepted);
    EXPECT_EQ(probe.wait().outcome, Outcome::kDone);
  }
}

}  // namespace
}  // namespace optimux::pool::testing
