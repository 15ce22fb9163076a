#include "optimux/pool/registry.hpp"

#include <gtest/gtest.h>

namespace optimux::pool {
namespace {

using std::chrono::seconds;
const TimePoint kNow = TimePoint{} + seconds(100);

TEST(Registry, I2LiveIsCountedFromTheList) {
  Registry registry;
  for (int i = 0; i < 4; ++i) registry.append();
  EXPECT_EQ(registry.live(), 4);
  registry.retire_newest(kNow);
  EXPECT_EQ(registry.live(), 3);
  EXPECT_EQ(registry.total(), 4);
  registry.free(0);
  EXPECT_EQ(registry.live(), 2);
  EXPECT_EQ(registry.total(), 3);
}

TEST(Registry, I5TheVictimIsTheNewestThatIsNotRetiringAlready) {
  Registry registry;
  for (int i = 0; i < 3; ++i) registry.append();
  EXPECT_EQ(registry.retire_newest(kNow), 2U);
  EXPECT_EQ(registry.retire_newest(kNow), 1U);
  EXPECT_EQ(registry.append(), 3U);
  EXPECT_EQ(registry.retire_newest(kNow), 3U);
  EXPECT_EQ(registry.retire_newest(kNow), 0U);
  EXPECT_FALSE(registry.retire_newest(kNow));
}

TEST(Registry, I9NudgesAfterTheGraceAndOnlyOnce) {
  Registry registry;
  registry.append();
  registry.append();
  registry.retire_newest(kNow);
  EXPECT_EQ(registry.next_nudge(seconds(2)), kNow + seconds(2));
  EXPECT_TRUE(registry.nudge_overdue(kNow + seconds(2) - Duration(1), seconds(2)).empty());
  EXPECT_EQ(registry.nudge_overdue(kNow + seconds(2), seconds(2)), std::vector<WorkerIndex>{1});
  EXPECT_TRUE(registry.nudge_overdue(kNow + seconds(9), seconds(2)).empty());
  EXPECT_EQ(registry.next_nudge(seconds(2)), kNever);
}

TEST(Registry, I6ANudgeDoesNotGiveTheSlotBack) {
  Registry registry;
  registry.append();
  registry.retire_newest(kNow);
  registry.nudge_overdue(kNow + seconds(5), seconds(2));
  EXPECT_EQ(registry.total(), 1);
  registry.free(0);
  EXPECT_EQ(registry.total(), 0);
}

TEST(Registry, NumbersAreNeverUsedTwice) {
  Registry registry;
  EXPECT_EQ(registry.append(), 0U);
  registry.free(0);
  EXPECT_EQ(registry.append(), 1U);
  registry.free(7);
  EXPECT_EQ(registry.total(), 1);
  EXPECT_EQ(registry.find(0), nullptr);
  ASSERT_NE(registry.find(1), nullptr);
}

TEST(Registry, KnowsWhoIsStarting) {
  Registry registry;
  registry.append();
  registry.append();
  EXPECT_EQ(registry.starting(), 2);
  registry.ready(1);
  EXPECT_EQ(registry.starting(), 1);
}

TEST(Registry, ManyRetireAndLeaveAtOnce) {
  Registry registry;
  for (int i = 0; i < 6; ++i) registry.append();
  registry.retire_newest(kNow);
  EXPECT_EQ(registry.retire_newest(2, kNow), (std::vector<WorkerIndex>{4, 3})) << "the newest that still live";
  EXPECT_EQ(registry.live(), 3);
  registry.free({4, 1, 99, 5});
  EXPECT_EQ(registry.total(), 3);
  EXPECT_EQ(registry.find(4), nullptr);
  EXPECT_NE(registry.find(3), nullptr);
  EXPECT_EQ(registry.retire_newest(9, kNow), (std::vector<WorkerIndex>{2, 0})) << "as many as there are";
}

}  // namespace
}  // namespace optimux::pool
