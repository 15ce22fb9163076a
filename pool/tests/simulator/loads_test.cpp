#include "simulator/loads.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

using std::chrono::seconds;

double arrivals(const Trace& trace, double from, double until) {
  double count = 0;
  for (const TraceJob& job : trace.jobs) count += to_seconds(job.at) >= from && to_seconds(job.at) < until ? 1 : 0;
  return count;
}

TEST(Loads, HaveNames) {
  for (const Shape shape : kShapes) EXPECT_EQ(shape_of(to_string(shape)), shape);
  EXPECT_FALSE(shape_of("all"));
}

TEST(Loads, ArriveAtTheRateOfTheirShape) {
  const LoadOptions options;  // 8 CPUs, 0.7 s: 80 / 7 a second are what they can do
  for (const Shape shape : kShapes) {
    const Trace trace = make_load(shape, options, 1);
    for (double from = 0; from < to_seconds(trace.length); from += 50) {
      double expected = 0;
      for (double at = from; at < from + 50; at += .5) expected += .5 * rate(shape, options, from_seconds(at));
      EXPECT_NEAR(arrivals(trace, from, from + 50), expected, 4 * std::sqrt(expected) + 1) << to_string(shape) << from;
    }
  }
}

TEST(Loads, AreMeasuredByWhatTheMachineCanDo) {
  LoadOptions options;
  options.cpus = 4;
  options.cpu = std::chrono::milliseconds(100);
  EXPECT_NEAR(rate(Shape::kStep, options, seconds(100)), .8 * 40, 1e-9);
  EXPECT_NEAR(rate(Shape::kStep, options, seconds(59)), .1 * 40, 1e-9);
  EXPECT_NEAR(rate(Shape::kBurst, options, seconds(55)), 1.5 * 40, 1e-9);
  EXPECT_NEAR(rate(Shape::kSawtooth, options, seconds(90)), .45 * 40, 1e-9);
  EXPECT_NEAR(rate(Shape::kDiurnal, options, seconds(300)), .85 * 40, 1e-9);
  EXPECT_NEAR(make_load(Shape::kStep, options, 1).busy_workers, 3.2, 1e-9);
}

TEST(Loads, ATimeScaleShortensThem) {
  LoadOptions options;
  options.time_scale = .1;
  const Trace trace = make_load(Shape::kStep, options, 1);
  EXPECT_EQ(trace.length, seconds(60));
  EXPECT_EQ(trace.rises_at, seconds(6));
  EXPECT_LT(arrivals(trace, 0, 6) / 6, arrivals(trace, 6, 60) / 54 / 3);
}

TEST(Loads, JobsHaveTheTimesAskedFor) {
  LoadOptions options;
  options.cpu = std::chrono::milliseconds(5);
  options.wait = std::chrono::milliseconds(45);
  const Trace trace = make_load(Shape::kStep, options, 1);
  double cpu = 0;
  double wait = 0;
  for (const TraceJob& job : trace.jobs) {
    cpu += to_seconds(job.cpu);
    wait += to_seconds(job.wait);
  }
  const auto jobs = static_cast<double>(trace.jobs.size());
  EXPECT_NEAR(cpu / jobs, .005, .0001);
  EXPECT_NEAR(wait / jobs, .045, .001);
  EXPECT_NEAR(trace.busy_workers, .8 * 1600 * .05, 1e-6);
}

TEST(Loads, EqualSeedsGiveEqualTraces) {
  const LoadOptions options;
  const Trace one = make_load(Shape::kBurst, options, 5);
  const Trace two = make_load(Shape::kBurst, options, 5);
  const Trace other = make_load(Shape::kBurst, options, 6);
  ASSERT_EQ(one.jobs.size(), two.jobs.size());
  for (std::size_t i = 0; i < one.jobs.size(); ++i) {
    ASSERT_EQ(one.jobs[i].at, two.jobs[i].at);
    ASSERT_EQ(one.jobs[i].cpu, two.jobs[i].cpu);
  }
  EXPECT_NE(one.jobs.front().at, other.jobs.front().at);
}

}  // namespace
}  // namespace optimux::pool::simulator
