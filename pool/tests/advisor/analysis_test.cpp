#include "advisor/analysis.hpp"

#include "advisor/advice.hpp"
#include "advisor/synthetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace optimux::pool::advisor {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

constexpr int kCpus = 10;

Measurements computing(double seconds, const std::function<double(double)>& rate, const Noise& noise = {}) {
  Measurements measurements{.cpus = kCpus, .job = {seconds, seconds}, .curve = make_curve(kSizes, rate, noise)};
  for (CurvePoint& point : measurements.curve) point.cpu_busy = std::min(1.0, point.workers / 10.0);
  return measurements;
}

Measurements sleeping(double seconds, const std::function<double(double)>& rate) {
  return {.cpus = kCpus, .job = {seconds, seconds / 100}, .curve = make_curve(kSizes, rate)};
}

AssertionResult says(const Advice& advice, const std::string& words) {
  std::string all = advice.headline;
  for (const std::string& reason : advice.reasons) all += '\n' + reason;
  if (all.find(words) != std::string::npos) return AssertionSuccess();
  return AssertionFailure() << "not \"" << words << "\" in:\n" << all;
}

TEST(JobClass, IsCpuTimeOverWallTime) {
  EXPECT_EQ(classify({1, 1}), JobClass::kCpu);
  EXPECT_EQ(classify({1, 0.81}), JobClass::kCpu);
  EXPECT_EQ(classify({1, 0.5}), JobClass::kMixed);
  EXPECT_EQ(classify({1, 0.19}), JobClass::kIo);
  EXPECT_EQ(classify({1, 0}), JobClass::kIo);
}

TEST(JobClass, RoofIsWhatWorkersAndCpusAllow) {
  EXPECT_DOUBLE_EQ(roof_of({0.001, 0.001}, 5, 10), 5000);
  EXPECT_DOUBLE_EQ(roof_of({0.001, 0.001}, 100, 10), 10'000);
  EXPECT_DOUBLE_EQ(roof_of({0.001, 0}, 2000, 10), 2'000'000);
}

TEST(Analysis, OfLongComputingJobsRecommendsTheCpuCount) {
  const Measurements measurements = computing(640e-6, flat_from(kCpus, 1 / 640e-6), {.deviation = 0.01});
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.plateau.verdict, Verdict::kPlateau);
  EXPECT_EQ(analysis.workers, kCpus);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kCpu);
  EXPECT_NEAR(analysis.efficiency, 1, 0.05);
  EXPECT_TRUE(analysis.opinions_agree);
  const Advice advice = advise(analysis, measurements);
  EXPECT_TRUE(says(advice, "10 workers: the smallest size on the plateau, and the number of usable CPUs"));
  EXPECT_NE(advice.settings.find("image_workers_max = 10\n"), std::string::npos);
}

TEST(Analysis, OfSleepingJobsSaysThatItIsStillRising) {
  const Measurements measurements = sleeping(1e-3, flat_from(1e9, 1 / 1.1e-3));
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.plateau.verdict, Verdict::kStillRising);
  EXPECT_EQ(analysis.job_class, JobClass::kIo);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kNone);
  EXPECT_TRUE(analysis.opinions_agree);
  const Advice advice = advise(analysis, measurements);
  EXPECT_TRUE(says(advice, "no plateau in range"));
  EXPECT_TRUE(says(advice, "optimux pool size"));
  EXPECT_EQ(advice.settings, "");
}

TEST(Analysis, OfADependencyWithALimitNamesIt) {
  const Measurements measurements = sleeping(1e-3, flat_from(50, 1000));
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.workers, 50);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kDependency);
  EXPECT_TRUE(says(advise(analysis, measurements), "CPUs are idle on the plateau"));
}

TEST(Analysis, OfWaitingJobsThatUseUpTheCpusNamesThem) {
  Measurements measurements = sleeping(1e-3, flat_from(50, 1000));
  for (CurvePoint& point : measurements.curve) point.cpu_busy = 0.95;
  EXPECT_EQ(analyse(measurements).bottleneck, Bottleneck::kCpu);
}

TEST(Analysis, OfWaitingJobsThatReachTheRoofOfTheCpusNamesThemThoughOthersUseThemToo) {
  Measurements measurements = sleeping(1e-3, flat_from(1000, 1000));  // 10 us of CPU time on each of 10 CPUs.
  measurements.curve = make_curve({10, 100, 1000, 2000}, flat_from(1000, 1000));
  for (CurvePoint& point : measurements.curve) point.cpu_busy = 0.5;
  EXPECT_EQ(analyse(measurements).bottleneck, Bottleneck::kCpu);
}

TEST(Analysis, OfShortJobsNamesTheHandOffAndAdvisesBatches) {
  // A worker alone does 7 us of work in 14 us; more workers help a little beyond the CPUs.
  Measurements measurements = computing(7e-6, [](double n) { return 71'000 * std::min(n, 10.0) + 500 * n; });
  const double single = rate_of(measurements.curve[3]);
  measurements.batched =
      BatchProbe{.workers = kCpus, .batch = 128, .rates = {2 * single, 2.01 * single, 1.99 * single}};
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kHandOff);
  EXPECT_EQ(analysis.workers, kCpus);
  ASSERT_TRUE(analysis.hand_off);
  EXPECT_NEAR(analysis.hand_off->share, 0.5, 0.01);
  EXPECT_NEAR(analysis.hand_off->seconds, 7e-6, 0.3e-6);
  EXPECT_EQ(analysis.hand_off->advised_batch, 64);  // 49 jobs of the hand-off's length make it 2 %.
  const Advice advice = advise(analysis, measurements);
  EXPECT_TRUE(says(advice, "Hand-off bound: batch 64 jobs, and 10 workers"));
  EXPECT_TRUE(says(advice, "50 % of the job's time"));
  EXPECT_TRUE(advice.settings.starts_with("factory = optimux::pool::batching_worker<Job>(64, handler);\n"));
}

TEST(Analysis, OfShortJobsAmongNoiseIsAnAnswerOnlyIfTheyCompute) {
  Measurements measurements = computing(7e-6, [](double n) { return 71'000 * std::min(n, 10.0); }, {.deviation = 0.15});
  const double single = rate_of(measurements.curve[3]);
  measurements.batched = BatchProbe{.workers = kCpus, .batch = 128, .rates = {3 * single, 3 * single, 3 * single}};
  Analysis analysis = analyse(measurements);
  ASSERT_EQ(analysis.plateau.verdict, Verdict::kTooNoisy);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kHandOff);
  EXPECT_TRUE(analysis.is_answered);
  EXPECT_TRUE(advise(analysis, measurements).settings.starts_with("factory = "));
  measurements.job.cpu = measurements.job.wall / 2;
  analysis = analyse(measurements);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kHandOff);
  EXPECT_FALSE(analysis.is_answered);
  const Advice advice = advise(analysis, measurements);
  EXPECT_TRUE(says(advice, "jobs, and measure again. Too noisy: no recommendation"));
  EXPECT_EQ(advice.settings, "");
}

TEST(Analysis, BatchesThatHelpNoMoreThanTheNoiseAreNotAdvised) {
  Measurements measurements = computing(100e-6, flat_from(kCpus, 10'000));
  measurements.batched = BatchProbe{.workers = kCpus, .batch = 10, .rates = {101'000, 102'000, 103'000}};
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kCpu);
  ASSERT_TRUE(analysis.hand_off);
  EXPECT_EQ(analysis.hand_off->advised_batch, 1);
}

TEST(Analysis, OfANoisyMachineSaysSo) {
  const Measurements measurements = computing(640e-6, flat_from(kCpus, 1500), {.deviation = 0.3, .seed = 3});
  const Analysis analysis = analyse(measurements);
  EXPECT_EQ(analysis.plateau.verdict, Verdict::kTooNoisy);
  EXPECT_EQ(analysis.bottleneck, Bottleneck::kUnknown);
  const Advice advice = advise(analysis, measurements);
  EXPECT_TRUE(says(advice, "Too noisy"));
  EXPECT_TRUE(says(advice, "quiet machine"));
  EXPECT_EQ(advice.settings, "");
}

TEST(Measurements, AreRefusedByName) {
  const auto field = [](const Measurements& measurements) {
    const auto error = validate(measurements);
    return error ? error->field : "";
  };
  const Measurements good = sleeping(1e-3, flat_from(10));
  EXPECT_EQ(field(good), "");
  Measurements bad = good;
  bad.curve.resize(2);
  EXPECT_EQ(field(bad), "sizes");
  bad = good;
  std::swap(bad.curve[0], bad.curve[1]);
  EXPECT_EQ(field(bad), "sizes");
  bad = good;
  bad.curve[1].rates.resize(2);
  EXPECT_EQ(field(bad), "rounds");
  bad = good;
  bad.curve[1].rates[0] = 0;
  EXPECT_EQ(field(bad), "rounds");
  bad = good;
  bad.job.wall = 0;
  EXPECT_EQ(field(bad), "job");
  bad = good;
  bad.cpus = 0;
  EXPECT_EQ(field(bad), "cpus");
}

TEST(Advice, OnASizingNamesTheLimit) {
  const Demand demand{.rate = 2000, .latency = 0.05, .headroom = 1.5, .limit = 64};
  const Advice advice = advise(*size_for(demand), demand);
  EXPECT_EQ(advice.headline, "64 workers");
  EXPECT_TRUE(
      says(advice, "2,000 jobs/s x 50.0 ms = 100 jobs in flight; with a headroom of 1.50 that is 150 workers."));
  EXPECT_TRUE(says(advice, "The dependency takes 64 at once, so that 1,280 jobs/s are the most"));
  EXPECT_TRUE(says(advice, "out of reach"));
}

TEST(Format, PrintsThreeDigits) {
  EXPECT_EQ(format_seconds(7.1e-6), "7.10 us");
  EXPECT_EQ(format_seconds(0.05), "50.0 ms");
  EXPECT_EQ(format_seconds(640e-6), "640 us");
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_rate(1'843'210), "1,840,000");
  EXPECT_EQ(format_rate(8.616), "8.62");
  EXPECT_EQ(format_rate(999.6), "1,000");
  EXPECT_EQ(format_rate(0), "0");
  EXPECT_EQ(format_share(0.5), "50 %");
  EXPECT_EQ(format_share(0.034), "3.4 %");
  EXPECT_EQ(format_share(1e300), "1.00e+302 %") << "more digits than a table has room for";
}

}  // namespace
}  // namespace optimux::pool::advisor
