#include "service/flight_table.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using base::Deadline;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class CountingFlight final : public Flight {
 public:
  void output_abandoned() override { ++abandoned; }
  void end(const base::Error&) override { ++ended; }
  int abandoned = 0;
  int ended = 0;
};

class FlightTableTest : public testing::Test {
 protected:
  FlightTable::Boarding board(std::vector<std::string> keys, const std::shared_ptr<CountingFlight>& flight,
                              Deadline deadline = Deadline::never(), const std::string& via = "") {
    return table.board(keys, via, deadline, flight, cache);
  }
  static void complete(const OpenedRendition& opened) {
    opened.rendition->body()->start({});
    opened.rendition->body()->complete();
  }
  static std::shared_ptr<CountingFlight> flight() { return std::make_shared<CountingFlight>(); }

  MemoryCache cache{1 << 20};
  FlightTable table;
  const Deadline::Clock::time_point now = Deadline::Clock::now();
};

TEST_F(FlightTableTest, TheFirstMakesAndTheOthersJoin) {
  const auto first = flight();
  const auto second = flight();
  const auto made = board({"a", "b"}, first);
  EXPECT_THAT(made.missing, ElementsAre(0, 1));
  const auto joined = board({"b", "c"}, second);
  EXPECT_THAT(joined.missing, ElementsAre(1));
  EXPECT_EQ(joined.opened[0].outcome, CacheOutcome::kJoined);
  EXPECT_EQ(joined.opened[0].rendition, made.opened[1].rendition);
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table.open_flights().size(), 2U);
}

// Otherwise servers that ask each other in a circle would wait for one another.
TEST_F(FlightTableTest, WhoCameThroughAnotherServerJoinsThoseWhoCameTheSameWay) {
  const auto straight = flight();
  const auto through_one = flight();
  const auto never = Deadline::never();
  const auto first = board({"a"}, straight);
  const auto second = board({"a"}, through_one, never, "1.1 one");
  EXPECT_THAT(second.missing, ElementsAre(0));
  EXPECT_THAT(board({"a"}, flight(), never, "1.1 one, 1.1 two").missing, ElementsAre(0));
  EXPECT_EQ(board({"a"}, flight(), never, "1.1 one").opened[0].rendition, second.opened[0].rendition);
  EXPECT_EQ(board({"a"}, flight()).opened[0].rendition, first.opened[0].rendition);
  table.close(*through_one);
  EXPECT_EQ(board({"a"}, flight()).opened[0].outcome, CacheOutcome::kJoined);
  EXPECT_THAT(board({"a"}, flight(), never, "1.1 one").missing, ElementsAre(0));
}

TEST_F(FlightTableTest, AClosedFlightIsNotJoined) {
  const auto first = flight();
  const auto made = board({"a"}, first);
  table.close(*first);
  table.close(*first);
  EXPECT_THAT(board({"a"}, flight()).missing, ElementsAre(0));
}

TEST_F(FlightTableTest, WhatIsCachedIsOpened) {
  const auto first = flight();
  const auto made = board({"a"}, first);
  complete(made.opened[0]);
  cache.insert(made.opened[0].rendition);
  table.close(*first);
  const auto hit = board({"a"}, flight());
  EXPECT_THAT(hit.missing, IsEmpty());
  EXPECT_EQ(hit.opened[0].outcome, CacheOutcome::kHit);
}

TEST_F(FlightTableTest, ACompleteRenditionOfAnOpenFlightIsAHit) {
  const auto made = board({"a"}, flight());
  complete(made.opened[0]);
  EXPECT_EQ(board({"a"}, flight()).opened[0].outcome, CacheOutcome::kHit);
}

TEST_F(FlightTableTest, AFailedRenditionIsMadeAnew) {
  const auto first = flight();
  const auto second = flight();
  const auto failed = board({"a"}, first);
  failed.opened[0].rendition->body()->fail({});
  const auto anew = board({"a"}, second);
  EXPECT_THAT(anew.missing, ElementsAre(0));
  table.close(*first);
  EXPECT_EQ(board({"a"}, flight()).opened[0].rendition, anew.opened[0].rendition)
      << "the old flight takes only its own with it";
}

TEST_F(FlightTableTest, TellsAFlightThatAReaderWasTheLast) {
  const auto first = flight();
  auto made = board({"a", "b"}, first);
  auto joined = board({"a"}, flight());
  made.opened[0].reader = {};
  EXPECT_EQ(first->abandoned, 0);
  joined.opened[0].reader = {};
  EXPECT_EQ(first->abandoned, 1);
  EXPECT_FALSE(table.close_if_abandoned(*first)) << "the other rendition is still read";
  made.opened[1].reader = {};
  EXPECT_TRUE(table.close_if_abandoned(*first));
  EXPECT_FALSE(table.close_if_abandoned(*first)) << "closed before";
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(FlightTableTest, AFlightThatHasCompletedSomethingGoesOn) {
  const auto first = flight();
  auto made = board({"a", "b"}, first);
  complete(made.opened[0]);
  made.opened.clear();
  EXPECT_FALSE(table.close_if_abandoned(*first));
}

TEST_F(FlightTableTest, TheLatestDeadlineCounts) {
  const auto first = flight();
  const auto made = board({"a"}, first, Deadline(now + seconds(5)));
  const auto longer = board({"a"}, flight(), Deadline(now + seconds(9)));
  const auto shorter = board({"a"}, flight(), Deadline(now + seconds(2)));
  EXPECT_EQ(table.deadline_of(*first).time(), now + seconds(9));
  EXPECT_FALSE(table.close_if_expired(*first, now + seconds(5)));
  EXPECT_TRUE(table.close_if_expired(*first, now + seconds(9)));
  EXPECT_FALSE(table.close_if_expired(*first, now + seconds(9)));
  EXPECT_TRUE(table.deadline_of(*first).is_never());
}

TEST_F(FlightTableTest, ARefusalIsJudgedAnewWhenSomebodyHasMoreTime) {
  const auto first = flight();
  const Deadline judged(now + seconds(5));
  const auto made = board({"a"}, first, judged);
  const auto joined = board({"a"}, flight(), Deadline(now + seconds(9)));
  EXPECT_FALSE(table.close_unless_prolonged(*first, judged));
  EXPECT_TRUE(table.close_unless_prolonged(*first, Deadline(now + seconds(9))));
  EXPECT_TRUE(table.close_unless_prolonged(*first, judged)) << "closed before";
  EXPECT_EQ(table.size(), 0U);
}

TEST_F(FlightTableTest, AReaderMayOutliveItsFlight) {
  auto first = flight();
  auto made = board({"a"}, first);
  table.close(*first);
  first.reset();
  made.opened.clear();
}

}  // namespace
}  // namespace optimux::service
