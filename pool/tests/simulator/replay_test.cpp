#include "simulator/replay.hpp"

#include "optimux/pool/policies.hpp"
#include "simulator/support.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::simulator {
namespace {

using std::chrono::milliseconds;

// Nothing here depends on how fast the machine is: only on what must have happened.
TEST(Replay, RunsEveryJobOfTheTraceOnARealPool) {
  Scenario scenario;
  scenario.policy = std::make_shared<LittlePolicy>();
  scenario.limits = {1, 4, 100};
  scenario.machine.cpus = 2;
  scenario.sample_interval = milliseconds(5);
  std::vector<TraceJob> jobs;
  jobs.reserve(20);
  for (int i = 0; i < 20; ++i) jobs.push_back({milliseconds(2 * i), milliseconds(1), milliseconds(2)});
  const Trace trace = testing::trace_of(jobs, milliseconds(60));
  Duration told{};
  auto recording = replay(trace, scenario, [&](Duration passed) { told = passed; });
  ASSERT_TRUE(recording);
  const Recording& run = *recording;
  ASSERT_EQ(run.jobs.size(), 20U);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    EXPECT_FALSE(run.jobs[i].is_refused);
    EXPECT_GE(run.jobs[i].arrived, trace.jobs[i].at);
    EXPECT_GE(run.jobs[i].started, run.jobs[i].arrived);
    EXPECT_GE(run.jobs[i].ended - run.jobs[i].started, milliseconds(3)) << "slept and burnt";
  }
  EXPECT_GE(run.end, trace.length);
  EXPECT_GE(run.samples.size(), 12U);
  EXPECT_GT(told, Duration::zero());
  ASSERT_FALSE(run.workers.empty());
  EXPECT_EQ(run.workers.front().at, Duration::zero());
  for (const WorkerChange& change : run.workers) {
    EXPECT_GE(change.total, change.live);
    EXPECT_LE(change.total, 4);
  }
}

TEST(Replay, RefusesWhatAPoolWouldRefuse) {
  Scenario scenario;
  scenario.policy = std::make_shared<FixedPolicy>(200);
  auto recording = replay(testing::trace_of({{milliseconds(1), {}, milliseconds(1)}}), scenario, {});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().field, "policy.workers");
}

}  // namespace
}  // namespace optimux::pool::simulator
