#include "optimux/pool/gate.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

Snapshot busy(int in_flight, int cpus = 4) {
  Snapshot snapshot;
  snapshot.in_flight = in_flight;
  snapshot.cpus = cpus;
  return snapshot;
}

Limits limits(int most) {
  return {1, most, 10};
}

TEST(Gate, NoneIsAlwaysOpen) {
  EXPECT_FALSE(Gate().check(busy(1000)).closed);
  EXPECT_EQ(Gate().name(), "none");
  EXPECT_FALSE(Gate().validate(limits(1)));
}

TEST(Gate, SlotsCloseWhenAllAreTaken) {
  const Gate gate = Gate::slots(3);
  EXPECT_FALSE(gate.check(busy(2)).closed);
  EXPECT_TRUE(gate.check(busy(3)).closed);
  EXPECT_EQ(gate.check(busy(2)).useful_workers, 3);
  EXPECT_EQ(gate.name(), "slots(3)");
}

TEST(Gate, SlotsAboveTheCapCouldNeverCloseAndAreRefused) {
  EXPECT_FALSE(Gate::slots(10).validate(limits(10)));
  ASSERT_TRUE(Gate::slots(20).validate(limits(10)));
  EXPECT_EQ(Gate::slots(20).validate(limits(10))->field, "gate.slots");
  EXPECT_EQ(Gate::slots(0).validate(limits(10))->field, "gate.slots");
}

TEST(Gate, CpuClosesWhenTheThreadsOfTheJobsOccupyTheMachine) {
  EXPECT_FALSE(Gate::cpu(1).check(busy(3)).closed);
  EXPECT_TRUE(Gate::cpu(1).check(busy(4)).closed);
  EXPECT_FALSE(Gate::cpu(3).check(busy(1)).closed);
  EXPECT_TRUE(Gate::cpu(3).check(busy(2)).closed);
  EXPECT_EQ(Gate::cpu(3).check(busy(1)).useful_workers, 2);
  EXPECT_EQ(Gate::cpu(8).check(busy(0)).useful_workers, 1);
  EXPECT_EQ(Gate::cpu(0).validate(limits(10))->field, "gate.threads_per_job");
}

TEST(Gate, ProbeAsksTheUser) {
  const Gate gate = Gate::probe([](const Snapshot& snapshot) { return snapshot.in_flight > 5; });
  EXPECT_FALSE(gate.check(busy(5)).closed);
  EXPECT_TRUE(gate.check(busy(6)).closed);
  EXPECT_EQ(Gate::probe(nullptr).validate(limits(10))->field, "gate.probe");
}

TEST(Gate, BothCloseWhenEitherDoes) {
  const Gate gate = Gate::both(Gate::slots(2), Gate::cpu(1));
  EXPECT_FALSE(gate.check(busy(1)).closed);
  EXPECT_TRUE(gate.check(busy(2)).closed);
  EXPECT_TRUE(gate.check(busy(1, 1)).closed);
  EXPECT_EQ(gate.check(busy(1)).useful_workers, 2);
  EXPECT_EQ(gate.name(), "slots(2) and cpu(1)");
  EXPECT_EQ(gate.validate(limits(1))->field, "gate.slots");
}

}  // namespace
}  // namespace optimux::pool
