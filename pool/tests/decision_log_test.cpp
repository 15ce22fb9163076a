#include "optimux/pool/decision_log.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

Decision decision(int live, int target, Reason reason) {
  Decision decision;
  decision.policy = "little";
  decision.input.live = live;
  decision.input.queue_depth = 3;
  decision.input.in_flight = 4;
  decision.input.offered_load = 4.714;
  decision.target = target;
  decision.reason = reason;
  return decision;
}

TEST(DecisionLog, KeepsTheLatestAndNumbersThem) {
  DecisionLog log(2);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(log.add(decision(i, i + 1, Reason::kLoadRose)));
  ASSERT_EQ(log.entries().size(), 2U);
  EXPECT_EQ(log.entries()[0].sequence, 3U);
  EXPECT_EQ(log.entries()[1].sequence, 4U);
  EXPECT_EQ(log.entries()[1].target, 4);
}

TEST(DecisionLog, CountsWhatChangesNothing) {
  DecisionLog log(10);
  EXPECT_TRUE(log.add(decision(2, 2, Reason::kSteady)));
  EXPECT_FALSE(log.add(decision(2, 2, Reason::kSteady)));
  EXPECT_FALSE(log.add(decision(2, 2, Reason::kSteady)));
  EXPECT_TRUE(log.add(decision(2, 2, Reason::kGated)));
  EXPECT_TRUE(log.add(decision(2, 3, Reason::kLoadRose)));
  EXPECT_TRUE(log.add(decision(3, 3, Reason::kLoadRose)));
  ASSERT_EQ(log.entries().size(), 4U);
  EXPECT_EQ(log.entries()[0].repeats, 2U);
}

TEST(DecisionLog, AnEntryReadsAsOneLine) {
  DecisionLog log(10);
  log.add(decision(4, 6, Reason::kLoadRose));
  EXPECT_EQ(to_string(log.entries()[0]),
            "#1 little: 4 -> 6, load rose (queue 3, in flight 4, idle 0, offered 4.71, service 0.000 ms)");
  Decision forced = decision(1, 2, Reason::kFloorRefill);
  forced.policy.clear();
  EXPECT_NE(to_string(forced).find("limits: 1 -> 2, floor refill"), std::string::npos);
}

}  // namespace
}  // namespace optimux::pool
