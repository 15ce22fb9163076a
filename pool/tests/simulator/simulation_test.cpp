#include "simulator/simulation.hpp"

#include "optimux/pool/policies.hpp"
#include "simulator/loads.hpp"
#include "simulator/support.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::trace_of;

Scenario fixed_pool(int workers, int cpus) {
  Scenario scenario;
  scenario.policy = std::make_shared<FixedPolicy>(workers);
  scenario.machine.cpus = cpus;
  scenario.limits = {workers, workers, 100};
  return scenario;
}

Recording run(const Trace& trace, const Scenario& scenario) {
  auto recording = simulate(trace, scenario);
  EXPECT_TRUE(recording);
  return *std::move(recording);
}

TEST(Simulation, OneWorkerTakesJobsInTurn) {
  const Recording recording =
      run(trace_of({{seconds(1), {}, seconds(2)}, {seconds(2), {}, seconds(2)}, {seconds(10), {}, seconds(1)}}),
          fixed_pool(1, 4));
  ASSERT_EQ(recording.jobs.size(), 3U);
  EXPECT_EQ(recording.jobs[0].started, seconds(1));
  EXPECT_EQ(recording.jobs[0].ended, seconds(3));
  EXPECT_EQ(recording.jobs[1].started, seconds(3));
  EXPECT_EQ(recording.jobs[1].ended, seconds(5));
  EXPECT_EQ(recording.jobs[2].started, seconds(10));
  EXPECT_EQ(recording.end, seconds(11));
}

TEST(Simulation, WorkersShareTheCpusButNotTheWaits) {
  const TraceJob job{seconds(1), seconds(3), seconds(2)};
  const Recording recording = run(trace_of({job, job}), fixed_pool(2, 1));
  EXPECT_EQ(recording.jobs[0].started, seconds(1));
  EXPECT_EQ(recording.jobs[1].started, seconds(1));
  EXPECT_EQ(recording.jobs[0].ended, seconds(8)) << "3 s of waiting, then half a CPU";
  EXPECT_EQ(recording.jobs[1].ended, seconds(8));
  EXPECT_EQ(recording.jobs[0].alone, seconds(5));
}

TEST(Simulation, AFullQueueRefuses) {
  Scenario scenario = fixed_pool(1, 1);
  scenario.limits.queue_capacity = 1;
  const TraceJob job{seconds(1), {}, seconds(2)};
  const Recording recording = run(trace_of({job, job, job}), scenario);
  EXPECT_FALSE(recording.jobs[1].is_refused);
  EXPECT_TRUE(recording.jobs[2].is_refused);
}

TEST(Simulation, AWorkerNeedsItsTimeToStart) {
  Scenario scenario = fixed_pool(1, 1);
  scenario.machine.start_up = seconds(4);
  EXPECT_EQ(run(trace_of({{seconds(1), {}, seconds(1)}}), scenario).jobs[0].started, seconds(4));
}

TEST(Simulation, ASubmissionThatFindsNobodyIdleIsHeardAtOnce) {
  Scenario scenario;
  scenario.policy = std::make_shared<SpawnOnSubmitPolicy>();
  const TraceJob job{milliseconds(1050), {}, seconds(2)};
  const Recording recording = run(trace_of({job, job, {milliseconds(1051), {}, seconds(2)}}), scenario);
  EXPECT_EQ(recording.jobs[0].started, milliseconds(1050));
  EXPECT_EQ(recording.jobs[1].started, milliseconds(1050));
  EXPECT_EQ(recording.jobs[2].started, milliseconds(1060)) << "but once in 10 ms";
}

TEST(Simulation, IdleWorkersLeaveAndTheRegistryForgetsThem) {
  Scenario scenario;
  scenario.policy = std::make_shared<SpawnOnSubmitPolicy>();
  const TraceJob job{seconds(1), {}, seconds(1)};
  const Recording recording = run(trace_of({job, job, job, {seconds(60), {}, seconds(1)}}), scenario);
  int most = 0;
  for (const WorkerChange& change : recording.workers) most = std::max(most, change.total);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(recording.workers.back().total, 1);
  EXPECT_EQ(recording.workers.front().live, 1) << "the floor";
}

TEST(Simulation, AGateKeepsThePoolSmall) {
  Scenario scenario;
  scenario.policy = std::make_shared<SpawnOnSubmitPolicy>();
  scenario.gate = Gate::cpu();
  scenario.machine.cpus = 2;
  const Recording recording = run(trace_of(std::vector<TraceJob>(20, {seconds(1), {}, seconds(1)})), scenario);
  for (const WorkerChange& change : recording.workers) EXPECT_LE(change.total, 2);
  EXPECT_EQ(recording.end, seconds(11));
}

TEST(Simulation, SamplesAtItsInterval) {
  Scenario scenario = fixed_pool(1, 1);
  scenario.sample_interval = seconds(1);
  const Recording recording = run(trace_of(std::vector<TraceJob>(3, {milliseconds(500), {}, seconds(2)})), scenario);
  ASSERT_EQ(recording.samples.size(), 7U);
  EXPECT_EQ(recording.samples[1].at, seconds(1));
  EXPECT_EQ(recording.samples[1].in_flight, 1);
  EXPECT_EQ(recording.samples[1].queue, 2U);
  EXPECT_EQ(recording.samples[5].queue, 0U);
}

TEST(Simulation, EqualSeedsGiveEqualRecordings) {
  Scenario scenario;
  scenario.policy = std::make_shared<LittlePolicy>();
  scenario.gate = Gate::cpu();
  LoadOptions options;
  options.time_scale = .2;
  const Trace trace = make_load(Shape::kBurst, options, 3);
  const Recording one = run(trace, scenario);
  const Recording two = run(trace, scenario);
  ASSERT_EQ(one.workers.size(), two.workers.size());
  for (std::size_t i = 0; i < one.workers.size(); ++i) ASSERT_EQ(one.workers[i].at, two.workers[i].at);
  for (std::size_t i = 0; i < one.jobs.size(); ++i) ASSERT_EQ(one.jobs[i].ended, two.jobs[i].ended);
}

TEST(Simulation, RefusesWhatAPoolWouldRefuse) {
  const Trace trace = trace_of({{seconds(1), {}, seconds(1)}});
  Scenario scenario = fixed_pool(1, 1);
  scenario.limits.max_workers = 0;
  EXPECT_EQ(simulate(trace, scenario).error().field, "max_workers");
  scenario = fixed_pool(1, 1);
  scenario.policy = std::make_shared<FixedPolicy>(2);
  EXPECT_EQ(simulate(trace, scenario).error().field, "policy.workers");
  scenario = fixed_pool(1, 0);
  EXPECT_EQ(simulate(trace, scenario).error().field, "cpus");
}

}  // namespace
}  // namespace optimux::pool::simulator
