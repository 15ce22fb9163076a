#include "simulator/report.hpp"

#include "simulator/intervals.hpp"
#include "simulator/support.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::simulator {
namespace {

using std::chrono::seconds;

JobRecord job(int arrived, int started, int ended, int alone) {
  return {seconds(arrived), seconds(alone), false, seconds(started), seconds(ended)};
}

Recording recording_of(std::vector<WorkerChange> workers, int end) {
  Recording recording;
  recording.workers = std::move(workers);
  recording.end = seconds(end);
  return recording;
}

Trace rising_at(int second) {
  Trace trace;
  trace.rises_at = seconds(second);
  return trace;
}

TEST(Report, CountsChangesOfDirection) {
  const auto reversals = [](std::vector<int> live) {
    Recording recording = recording_of({}, 100);
    for (std::size_t i = 0; i < live.size(); ++i) recording.workers.push_back({seconds(i), live[i], live[i]});
    return report_on(recording, rising_at(0), 1).reversals;
  };
  EXPECT_EQ(reversals({1, 2, 3, 3, 5}), 0);
  EXPECT_EQ(reversals({1, 2, 3, 2, 1}), 1);
  EXPECT_EQ(reversals({3, 2, 2, 3, 2}), 2);
  EXPECT_EQ(reversals({1}), 0);
}

TEST(Report, MeasuresTheTimeToCapacityFromTheRise) {
  const std::vector<WorkerChange> growth = {{{}, 1, 1}, {seconds(10), 4, 4}, {seconds(20), 8, 8}, {seconds(30), 2, 2}};
  const auto time = [&](int rise, int capacity) {
    return report_on(recording_of(growth, 40), rising_at(rise), capacity).time_to_capacity;
  };
  EXPECT_EQ(time(5, 8), seconds(15));
  EXPECT_EQ(time(5, 4), seconds(5));
  EXPECT_EQ(time(12, 4), Duration::zero()) << "there already";
  EXPECT_FALSE(time(5, 9));
  EXPECT_FALSE(time(31, 8)) << "no longer";
  EXPECT_EQ(time(35, 2), Duration::zero());
}

TEST(Report, AddsUpTheWorkersTime) {
  Recording recording = recording_of({{{}, 1, 1}, {seconds(10), 1, 3}, {seconds(20), 2, 2}}, 30);
  recording.jobs = {job(0, 0, 1, 1), job(0, 1, 3, 1)};
  const Report report = report_on(recording, rising_at(0), 1);
  EXPECT_DOUBLE_EQ(report.worker_seconds_per_job, (10 + 30 + 20) / 2.0);
  EXPECT_DOUBLE_EQ(report.mean_workers, 2);
  EXPECT_EQ(report.most_workers, 3);
}

TEST(Report, TellsTheWaitForAWorkerFromTheTimeLost) {
  Recording recording = recording_of({{{}, 1, 1}}, 100);
  for (int i = 1; i <= 100; ++i) recording.jobs.push_back(job(0, i, i + 5, 3));
  recording.jobs.push_back({seconds(1), seconds(1), true, {}, {}});
  const Report report = report_on(recording, rising_at(0), 1);
  EXPECT_EQ(report.done, 100U);
  EXPECT_EQ(report.refused, 1U);
  EXPECT_EQ(report.wait.p50, seconds(50));
  EXPECT_EQ(report.wait.p95, seconds(95));
  EXPECT_EQ(report.wait.p99, seconds(99));
  EXPECT_EQ(report.wait.max, seconds(100));
  EXPECT_EQ(report.delay.p99, seconds(99 + 5 - 3));
}

TEST(Report, CapacityIsWhatTheHeightNeedsAndTheGateLeaves) {
  Trace trace;
  trace.busy_workers = 6.4;
  EXPECT_EQ(capacity(trace, 32), 7);
  EXPECT_EQ(capacity(trace, 4), 4);
  trace.busy_workers = 8 * .8 / .1 * .1;
  EXPECT_EQ(capacity(trace, 32), 7);
  trace.busy_workers = 0;
  EXPECT_EQ(capacity(trace, 32), 1);
}

TEST(Intervals, SortJobsByArrivalAndStart) {
  Recording recording;
  for (int i = 0; i < 4; ++i) recording.samples.push_back({seconds(10 * i), 1, 1, 0, 0});
  recording.jobs = {job(5, 5, 6, 1), job(6, 15, 16, 1), job(10, 35, 36, 1), {seconds(11), {}, true, {}, {}}};
  const std::vector<Interval> result = intervals(recording);
  ASSERT_EQ(result.size(), 4U);
  EXPECT_EQ(result[1].arrivals, 3U);
  EXPECT_EQ(result[1].started, 1U);
  EXPECT_EQ(result[2].refused, 1U);
  EXPECT_EQ(result[2].longest_wait, seconds(9));
  EXPECT_EQ(result[3].started, 1U) << "what comes after the last sample counts to it";
  EXPECT_TRUE(intervals(Recording{}).empty());
}

}  // namespace
}  // namespace optimux::pool::simulator
