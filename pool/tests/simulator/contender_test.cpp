#include "simulator/contender.hpp"

#include "simulator/number_text.hpp"

#include <gtest/gtest.h>

namespace optimux::pool::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Contender, PoliciesHaveNames) {
  EXPECT_EQ((*policy_of("little")).policy->name(), "little");
  EXPECT_EQ((*policy_of("queue-length")).policy->interval(), seconds(5));
  EXPECT_EQ((*policy_of("queue-length:500ms,0s")).policy->interval(), milliseconds(500));
  EXPECT_EQ((*policy_of("queue-length:500ms,0s")).policy->window(), Duration::zero());
  EXPECT_EQ((*policy_of("spawn-on-submit:60s")).policy->window(), seconds(60));
  EXPECT_EQ((*policy_of("fixed:3")).policy->decide({}, {}).target, 3);
  EXPECT_EQ((*policy_of("fixed:3")).name, "fixed:3");
}

TEST(Contender, OtherNamesAreRefusedWithWhatIsAllowed) {
  for (const char* name : {"", "big", "little:3", "fixed", "fixed:0", "fixed:1.5", "fixed:x", "queue-length:5",
                           "queue-length:5s", "spawn-on-submit:soon"}) {
    auto policy = policy_of(name);
    ASSERT_FALSE(policy) << name;
    EXPECT_NE(policy.error().message.find("allowed: little"), std::string::npos);
  }
}

TEST(Contender, GatesHaveNames) {
  EXPECT_EQ((*gate_of("none")).name(), "none");
  EXPECT_EQ((*gate_of("cpu")).name(), "cpu(1)");
  EXPECT_EQ((*gate_of("cpu:2")).name(), "cpu(2)");
  EXPECT_EQ((*gate_of("slots:5")).name(), "slots(5)");
  for (const char* name : {"", "cpu:0", "slots", "none:1", "door"}) EXPECT_FALSE(gate_of(name)) << name;
}

TEST(Contender, GatesSayHowManyWorkersAreOfUse) {
  EXPECT_EQ(useful_workers(Gate(), 8, 32), 32);
  EXPECT_EQ(useful_workers(Gate::cpu(), 8, 32), 8);
  EXPECT_EQ(useful_workers(Gate::cpu(2), 8, 32), 4);
  EXPECT_EQ(useful_workers(Gate::cpu(), 8, 4), 4);
}

TEST(NumberText, ReadsTimesWithTheirUnits) {
  EXPECT_EQ(read_duration("700ms"), milliseconds(700));
  EXPECT_EQ(read_duration("0.5s"), milliseconds(500));
  EXPECT_EQ(read_duration("20us"), std::chrono::microseconds(20));
  EXPECT_EQ(read_duration("2min"), seconds(120));
  EXPECT_EQ(read_duration("0"), Duration::zero());
  for (const char* text : {"", "5", "s", "-1s", "1h", "1e20s", "nans"}) EXPECT_FALSE(read_duration(text)) << text;
}

TEST(NumberText, WritesTimesInAReadableUnit) {
  EXPECT_EQ(duration_text(milliseconds(1500)), "1.5s");
  EXPECT_EQ(duration_text(milliseconds(700)), "700ms");
  EXPECT_EQ(duration_text(std::chrono::microseconds(20)), "20us");
  EXPECT_EQ(duration_text(Duration::zero()), "0s");
}

}  // namespace
}  // namespace optimux::pool::simulator
