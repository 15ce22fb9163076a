#include "optimux/pool/load_meter.hpp"

#include <gtest/gtest.h>
#include <random>

namespace optimux::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Feeds a meter with jobs.
class Feed {
 public:
  explicit Feed(int cpus = 4) : cpus_(cpus) { read(Duration::zero()); }

  Feed& arrive(std::uint64_t jobs) {
    load_.counters.accepted += jobs;
    return *this;
  }
  Feed& run(std::uint64_t jobs, Duration each, Duration cpu_each) {
    load_.run_jobs += jobs;
    load_.run_time += each * jobs;
    load_.cpu_jobs += jobs;
    load_.cpu_time += cpu_each * jobs;
    return *this;
  }
  Feed& in_flight(int jobs) {
    load_.in_flight = jobs;
    return *this;
  }
  Feed& read(Duration later) {
    now_ += later;
    meter_.read(load_, cpus_, now_);
    return *this;
  }
  [[nodiscard]] Duration overrun_after() const { return meter_.overrun_after(); }
  [[nodiscard]] Snapshot snapshot() const {
    Snapshot snapshot;
    meter_.fill(snapshot);
    return snapshot;
  }

 private:
  int cpus_;
  TimePoint now_ = TimePoint{} + std::chrono::hours(1);
  Load load_;
  LoadMeter meter_;
};

TEST(LoadMeter, KnowsNothingAtFirst) {
  const Snapshot snapshot = Feed().snapshot();
  EXPECT_EQ(snapshot.service_time, Duration::zero());
  EXPECT_EQ(snapshot.arrival_rate, 0);
  EXPECT_EQ(snapshot.offered_load, 0);
}

TEST(LoadMeter, MeasuresASteadyRateAndLoad) {
  Feed feed;
  for (int i = 0; i < 600; ++i) feed.arrive(2).run(2, milliseconds(100), milliseconds(100)).read(milliseconds(100));
  EXPECT_NEAR(feed.snapshot().arrival_rate, 20, .1);
  EXPECT_NEAR(feed.snapshot().offered_load, 2, .01);
  EXPECT_NEAR(to_seconds(feed.snapshot().service_time), .1, 1e-6);
}

TEST(LoadMeter, RisesWithinASecondAndFallsWithinFive) {
  Feed feed;
  feed.run(1, milliseconds(100), milliseconds(100));
  for (int i = 0; i < 600; ++i) feed.arrive(2).read(milliseconds(100));
  for (int i = 0; i < 10; ++i) feed.arrive(10).read(milliseconds(100));
  EXPECT_NEAR(feed.snapshot().offered_load, 2 + 8 * (1 - std::exp(-1)), .2);
  for (int i = 0; i < 600; ++i) feed.arrive(10).read(milliseconds(100));
  for (int i = 0; i < 50; ++i) feed.read(milliseconds(100));
  EXPECT_NEAR(feed.snapshot().offered_load, 10 * std::exp(-1), .2);
  EXPECT_NEAR(feed.snapshot().arrival_rate, 100 * std::exp(-5), .1);
}

// The averages fall exponentially, for ever; the least number above 0 would keep a worker for nothing.
TEST(LoadMeter, RatesBelowOneAnHourAreNothing) {
  Feed feed;
  feed.arrive(1).run(1, milliseconds(100), milliseconds(100)).read(milliseconds(100));
  for (int i = 0; i < 50; ++i) feed.read(milliseconds(100));
  EXPECT_GT(feed.snapshot().arrival_rate, 0);
  for (int i = 0; i < 100; ++i) feed.read(milliseconds(100));
  EXPECT_EQ(feed.snapshot().arrival_rate, 0);
  EXPECT_GT(feed.snapshot().offered_load, 0) << "the slow average is still on its way";
  for (int i = 0; i < 1000; ++i) feed.read(milliseconds(100));
  EXPECT_EQ(feed.snapshot().offered_load, 0);
}

TEST(LoadMeter, AJobOverrunsAfterThreeTimesTheUsual) {
  Feed feed;
  EXPECT_EQ(feed.overrun_after(), Duration::zero());
  feed.run(1, milliseconds(100), milliseconds(100)).read(milliseconds(100));
  EXPECT_NEAR(to_seconds(feed.overrun_after()), .3, 1e-6);
}

TEST(LoadMeter, DoesNotDependOnTheSpacingOfItsReadings) {
  Feed often;
  Feed seldom;
  often.run(1, seconds(1), seconds(1));
  seldom.run(1, seconds(1), seconds(1));
  for (int i = 0; i < 60; ++i) {
    for (int k = 0; k < 10; ++k) often.arrive(3).read(milliseconds(100));
    seldom.arrive(30).read(seconds(1));
  }
  EXPECT_NEAR(often.snapshot().offered_load, seldom.snapshot().offered_load, .1);
}

// Two arrivals a second are averaged over five seconds, twenty over one: chance moves the first as little as the
// second.
TEST(LoadMeter, TakesItsTimeWhereFewArrive) {
  Feed feed;
  feed.run(1, milliseconds(100), milliseconds(100));
  for (int i = 0; i < 600; ++i) feed.arrive(i % 5 == 0 ? 1 : 0).read(milliseconds(100));
  const double before = feed.snapshot().offered_load;
  for (int i = 0; i < 10; ++i) feed.arrive(1).read(milliseconds(100));
  EXPECT_NEAR(feed.snapshot().offered_load, before + .8 * (1 - std::exp(-1 / 5.)), .05);
}

// One filter with two time constants would take the scatter of single arrivals for a load several times as high.
TEST(LoadMeter, IsNotMisledByTheScatterOfSlowArrivals) {
  Feed feed;
  feed.run(1, seconds(1), seconds(1));
  std::mt19937 random(1);
  std::bernoulli_distribution arrives(.1);  // one a second
  double sum = 0;
  constexpr int kReadings = 20'000;
  for (int i = 0; i < kReadings; ++i)
    sum += feed.arrive(arrives(random)).read(milliseconds(100)).snapshot().offered_load;
  EXPECT_GT(sum / kReadings, .95);
  EXPECT_LT(sum / kReadings, 1.2);
}

TEST(LoadMeter, TwoReadingsAtTheSameMomentLoseNothing) {
  Feed feed;
  feed.arrive(5).read(Duration::zero()).arrive(5).read(seconds(1));
  EXPECT_NEAR(feed.snapshot().arrival_rate, 10 * (1 - std::exp(-1)), .1);
}

// Eight CPU jobs on four CPUs take twice as long. That is the doing of the pool, not the size of the jobs.
TEST(LoadMeter, OversubscriptionDoesNotFeedItself) {
  Feed feed(4);
  feed.in_flight(4);
  for (int i = 0; i < 50; ++i) feed.arrive(4).run(4, milliseconds(100), milliseconds(100)).read(milliseconds(100));
  const double calm = feed.snapshot().offered_load;
  feed.in_flight(8);
  for (int i = 0; i < 200; ++i) feed.arrive(4).run(4, milliseconds(200), milliseconds(100)).read(milliseconds(100));
  EXPECT_TRUE(feed.snapshot().oversubscribed);
  EXPECT_NEAR(to_seconds(feed.snapshot().service_time), .1, .005);
  EXPECT_NEAR(to_seconds(feed.snapshot().run_time), .2, .005) << "what jobs take at present is told apart";
  EXPECT_LT(feed.snapshot().offered_load, calm * 1.1);
}

TEST(LoadMeter, CpuTimeStandsInWhereTheMachineWasNeverCalm) {
  Feed feed(2);
  feed.in_flight(8).run(8, milliseconds(400), milliseconds(100)).read(seconds(1));
  EXPECT_TRUE(feed.snapshot().oversubscribed);
  EXPECT_NEAR(to_seconds(feed.snapshot().service_time), .1, 1e-3);
}

TEST(LoadMeter, HeavierJobsAreNoticedInSpiteOfOversubscription) {
  Feed feed(4);
  feed.in_flight(4).run(20, milliseconds(100), milliseconds(100)).read(seconds(1));
  feed.in_flight(8);
  for (int i = 0; i < 200; ++i) feed.run(4, milliseconds(600), milliseconds(300)).read(milliseconds(100));
  EXPECT_NEAR(to_seconds(feed.snapshot().service_time), .3, .01);
}

TEST(LoadMeter, ManyWaitingJobsAreNoOversubscription) {
  Feed feed(2);
  feed.in_flight(500);
  for (int i = 0; i < 50; ++i) feed.run(100, milliseconds(50), std::chrono::microseconds(20)).read(milliseconds(100));
  EXPECT_FALSE(feed.snapshot().oversubscribed);
  EXPECT_NEAR(to_seconds(feed.snapshot().service_time), .05, 1e-3);
}

}  // namespace
}  // namespace optimux::pool
