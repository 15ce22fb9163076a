// The promises about LittlePolicy, kept under the four loads. The simulator is deterministic, so they can decide a
// test.
#include "simulator/experiment.hpp"
#include "simulator/loads.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

// Builds that are some ten times as slow take fewer seeds.
#if defined(NDEBUG) && !defined(OPTIMUX_POOL_SLOW_BUILD)
constexpr std::uint64_t kSeeds = 20;
#else
constexpr std::uint64_t kSeeds = 5;
#endif

double reversals(const Outcomes& outcomes) {
  return summarise(outcomes, [](const Report& report) { return static_cast<double>(report.reversals); }).median;
}
double p99(const Outcomes& outcomes) {
  return summarise(outcomes, [](const Report& report) { return to_seconds(report.wait.p99); }).median;
}
double worker_seconds(const Outcomes& outcomes) {
  return summarise(outcomes, [](const Report& report) { return report.worker_seconds_per_job; }).median;
}

class Comparison : public ::testing::TestWithParam<Shape> {
 protected:
  // Behind the gate, with the defaults of each policy: little, queue-length, spawn-on-submit, fixed.
  static std::vector<Outcomes> outcomes(int threads = 2) {
    Experiment experiment;
    const Shape shape = GetParam();
    experiment.loads.push_back({"load", [=](std::uint64_t seed) { return make_load(shape, LoadOptions{}, seed); }});
    for (const char* name : {"little", "queue-length", "spawn-on-submit", "fixed:8"}) {
      experiment.policies.push_back(policy_of(name).value());
    }
    experiment.gates = {Gate::cpu()};
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) experiment.seeds.push_back(seed);
    experiment.threads = threads;
    auto result = run_experiment(experiment);
    EXPECT_TRUE(result);
    return *std::move(result);
  }
};

TEST_P(Comparison, LittleBehindTheGateIsAsQuickCalmerAndCheaper) {
  const std::vector<Outcomes> all = outcomes();
  const Outcomes& little = all[0];
  const Outcomes& queue_length = all[1];
  const Outcomes& spawn = all[2];
  const Outcomes& fixed = all[3];
  for (const Outcomes* other : {&queue_length, &spawn, &fixed}) {
    EXPECT_LE(p99(little), 1.1 * p99(*other)) << "no worse than the best within 10 %: " << other->policy;
  }
  EXPECT_LT(reversals(little), reversals(spawn));
  const bool reaches_capacity = std::isfinite(time_to_capacity(queue_length).median);
  if (reaches_capacity) {
    EXPECT_LT(reversals(little), reversals(queue_length));
  }
  EXPECT_LE(worker_seconds(little), worker_seconds(spawn));
}

INSTANTIATE_TEST_SUITE_P(Loads, Comparison, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(to_string(shape.param)); });

TEST(Experiment, DoesNotDependOnThreads) {
  Experiment experiment;
  LoadOptions options;
  options.time_scale = .1;
  experiment.loads.push_back({"load", [=](std::uint64_t seed) { return make_load(Shape::kStep, options, seed); }});
  experiment.policies = all_policies(8);
  experiment.gates = {Gate::cpu(), Gate()};
  experiment.seeds = {1, 2, 3};
  std::size_t told = 0;
  experiment.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++told);
    EXPECT_EQ(all, 36U);
  };
  auto alone = run_experiment(experiment);
  experiment.threads = 4;
  told = 0;
  auto together = run_experiment(experiment);
  ASSERT_TRUE(alone && together);
  EXPECT_EQ(told, 36U);
  for (std::size_t row = 0; row < (*alone).size(); ++row) {
    EXPECT_EQ((*alone)[row].policy, (*together)[row].policy);
    for (std::size_t seed = 0; seed < 3; ++seed) {
      EXPECT_EQ((*alone)[row].reports[seed].wait.p99, (*together)[row].reports[seed].wait.p99);
      EXPECT_EQ((*alone)[row].reports[seed].worker_seconds_per_job,
                (*together)[row].reports[seed].worker_seconds_per_job);
    }
  }
}

TEST(Experiment, NamesThePolicyThatCannotBeTried) {
  Experiment experiment;
  experiment.loads.push_back({"load", [](std::uint64_t) { return Trace{}; }});
  experiment.policies = {policy_of("fixed:100").value()};
  experiment.gates = {Gate()};
  experiment.seeds = {1};
  auto result = run_experiment(experiment);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "policy.workers");
  EXPECT_NE(result.error().message.find("fixed:100"), std::string::npos);
}

TEST(Experiment, SummarisesByTheMiddle) {
  Outcomes outcomes;
  for (const int value : {5, 1, 9, 3}) {
    outcomes.reports.emplace_back();
    outcomes.reports.back().reversals = value;
  }
  const Summary summary = summarise(outcomes, [](const Report& report) { return report.reversals; });
  EXPECT_EQ(summary.median, 4);
  EXPECT_EQ(summary.low, 1);
  EXPECT_EQ(summary.high, 9);
}

}  // namespace
}  // namespace optimux::pool::simulator
