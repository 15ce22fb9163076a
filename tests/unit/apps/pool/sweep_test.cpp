#include "apps/optimux/pool/sweep/sweep.hpp"

#include "advisor/analysis.hpp"
#include "apps/optimux/pool/sweep/sweep_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace optimux::apps {
namespace {

using pool::advisor::Bottleneck;
using pool::advisor::Verdict;

/// A machine of four CPUs on which a job takes `wall` seconds, `cpu` of them computing, and a hand-over `hand_off`.
struct FakeMachine {
  double wall = 1e-3;
  double cpu = 1e-3;
  double hand_off = 0;
  std::vector<Trial> trials = {};

  SweepBench bench() {
    return {.run_alone =
                [this] {
                  return AloneResult{wall, cpu, {}};
                },
            .run_trial = [this](const Trial& trial) -> base::Result<TrialResult> {
              trials.push_back(trial);
              const double by_workers = trial.workers / (wall + hand_off / trial.batch);
              const double by_cpus = 4 / (cpu + hand_off / trial.batch);
              return TrialResult{.rate = std::min(by_workers, by_cpus),
                                 .cpu_busy = std::min(1.0, by_workers / by_cpus)};
            }};
  }
};

void no_progress(int /*round*/, int /*workers*/) {}

SweepReport report_of(FakeMachine& machine, const SweepPlan& plan) {
  auto result = run_sweep(plan, machine.bench(), no_progress);
  EXPECT_TRUE(result) << result.error().detail;
  return make_report("job", "affinity", *std::move(result)).value();
}

std::string refusal(const SweepPlan& plan) {
  FakeMachine machine;
  const auto result = run_sweep(plan, machine.bench(), no_progress);
  return result ? "" : result.error().detail;
}

TEST(Sweep, OfComputingJobsFindsTheCpus) {
  FakeMachine machine{.wall = 640e-6, .cpu = 640e-6};
  const SweepReport report = report_of(machine, {.cpus = 4});
  EXPECT_EQ(report.analysis.plateau.verdict, Verdict::kPlateau);
  EXPECT_EQ(report.analysis.workers, 4);
  EXPECT_EQ(report.analysis.bottleneck, Bottleneck::kCpu);
}

TEST(Sweep, OfSleepingJobsStillRises) {
  FakeMachine machine{.wall = 1e-3, .cpu = 1e-6};
  const SweepReport report = report_of(machine, {.cpus = 4});
  EXPECT_EQ(report.analysis.plateau.verdict, Verdict::kStillRising);
  EXPECT_EQ(report.result.measurements.curve.back().workers, 100);
}

TEST(Sweep, OfShortJobsMeasuresBatchesAndNamesTheHandOff) {
  FakeMachine machine{.wall = 7e-6, .cpu = 7e-6, .hand_off = 5e-6};
  const SweepReport report = report_of(machine, {.sizes = {1, 2, 8}, .cpus = 4});
  EXPECT_EQ(report.analysis.bottleneck, Bottleneck::kHandOff);
  ASSERT_TRUE(report.result.measurements.batched);
  EXPECT_EQ(report.result.measurements.batched->workers, 4);  // Measured though it was not asked for.
  EXPECT_EQ(report.result.measurements.batched->batch, 143);
  EXPECT_EQ(report.result.measurements.curve.size(), 4);
  EXPECT_NEAR(report.analysis.hand_off->share, 5.0 / 12, 0.01);
}

TEST(Sweep, TakesEachSizeOnceARoundThereAndBack) {
  FakeMachine machine;
  report_of(machine, {.sizes = {4, 1, 2, 2}, .rounds = 3, .cpus = 4});
  std::vector<int> order;
  for (const Trial& trial : machine.trials) order.push_back(trial.workers);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 4, 4, 2, 1, 1, 2, 4}));
}

TEST(Sweep, MakesEachTrialAboutAsLongAsAskedFor) {
  FakeMachine machine;
  report_of(machine, {.sizes = {1, 2, 8}, .rounds = 3, .seconds = 0.5, .cpus = 4});
  EXPECT_EQ(machine.trials[0].jobs, 500);
  EXPECT_EQ(machine.trials[1].jobs, 1000);
  EXPECT_EQ(machine.trials[2].jobs, 2000);  // More workers than CPUs do no more.
}

TEST(Sweep, NamesWhatIsWrongWithThePlan) {
  EXPECT_EQ(refusal({.rounds = 2}), "--rounds must be from 3 to 1000");
  EXPECT_EQ(refusal({.sizes = {1, 2}}), "--sizes must be at least three different");
  EXPECT_EQ(refusal({.sizes = {1, 2, 2}}), "--sizes must be at least three different");
  EXPECT_EQ(refusal({.sizes = {0, 1}}), "--sizes must be from 1 to 20000");
  EXPECT_EQ(refusal({.sizes = {0, 1, 2}}), "--sizes must be from 1 to 20000");
  EXPECT_EQ(refusal({.seconds = 0}), "--time must be from 1ms to 60s");
}

TEST(Sweep, ReadsSizesAndNamesThePartThatIsNone) {
  EXPECT_EQ(parse_sizes("1,20,300").value(), (std::vector<int>{1, 20, 300}));
  for (const auto& [text, part] : {std::pair{"0,1,2", "'0'"},
                                   {"1,,2", "''"},
                                   {"1,2,", "''"},
                                   {"1,2.5,3", "'2.5'"},
                                   {"1,2,20001", "'20001'"},
                                   {"1,-2,3", "'-2'"},
                                   {"a", "'a'"},
                                   {"", "''"}}) {
    const auto sizes = parse_sizes(text);
    ASSERT_FALSE(sizes) << text;
    EXPECT_TRUE(sizes.error().detail.starts_with("--sizes: " + std::string(part) + " is no pool size")) << text;
  }
}

TEST(Sweep, EndsWithTheErrorOfTheFirstJob) {
  SweepBench bench = FakeMachine{}.bench();
  bench.run_alone = [] { return AloneResult{1, 1, base::Error{base::ErrorCode::kInternal, "cannot start it", {}}}; };
  const auto result = run_sweep({}, bench, no_progress);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().detail, "cannot start it");
}

TEST(Sweep, EndsWithTheErrorOfATrial) {
  FakeMachine machine;
  SweepBench bench = machine.bench();
  bench.run_trial = [](const Trial&) -> base::Result<TrialResult> {
    return base::fail(base::ErrorCode::kInternal, "only 3 of 100 workers could be started");
  };
  EXPECT_FALSE(run_sweep({}, bench, no_progress));
}

TEST(Sweep, CountsTheJobsThatFailed) {
  FakeMachine machine;
  SweepBench bench = machine.bench();
  bench.run_trial = [](const Trial&) -> base::Result<TrialResult> {
    return TrialResult{.rate = 1, .cpu_busy = 0, .failed = 2, .first_error = base::Error{{}, "no luck", {}}};
  };
  const auto result = run_sweep({.sizes = {1, 2, 3}, .rounds = 3}, bench, no_progress);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failed_jobs, 18);
  EXPECT_NE(to_text(make_report("job", "affinity", *result).value()).find("18 jobs failed; the first: no luck"),
            std::string::npos);
}

TEST(SweepReport, IsTheSameAfterItsJson) {
  FakeMachine machine{.wall = 7e-6, .cpu = 7e-6, .hand_off = 5e-6};
  const SweepReport report = report_of(machine, {.cpus = 4});
  const std::string json = to_json(report);
  const auto read = read_report(json);
  ASSERT_TRUE(read) << read.error().cause;
  EXPECT_EQ(to_json(*read), json);
  EXPECT_EQ(to_text(*read), to_text(report));
  EXPECT_EQ(to_svg(*read), to_svg(report));
}

TEST(SweepReport, RefusesWhatIsNoJsonOfItsOwn) {
  for (const char* text : {"", "{", "{}", "[]", "3", R"({"job": 3})"}) EXPECT_FALSE(read_report(text)) << text;
}

TEST(SweepReport, DrawsTheCurve) {
  FakeMachine machine;
  const std::string svg = to_svg(report_of(machine, {.cpus = 4}));
  EXPECT_TRUE(svg.starts_with("<?xml") || svg.starts_with("<svg"));
  EXPECT_NE(svg.find("4 CPUs"), std::string::npos);
}

}  // namespace
}  // namespace optimux::apps
