#include "http/stream_scheduler.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/http/stream_turns.hpp"

namespace optimux::http {
namespace {

using base::Phase;

TEST(StreamScheduler, HasNothingToSendAtFirst) {
  StreamScheduler scheduler;
  EXPECT_EQ(scheduler.pick(), std::nullopt);
  scheduler.open(1);
  EXPECT_EQ(scheduler.pick(), std::nullopt);
  scheduler.append(1, 0, Phase::kHead);
  EXPECT_EQ(scheduler.pick(), std::nullopt);
  EXPECT_EQ(scheduler.size(), 1U);
  EXPECT_EQ(scheduler.sendable(), 0U);
}

TEST(StreamScheduler, APickIsWithinWhatIsAskedAndChangesNothing) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 100'000, Phase::kFull);
  EXPECT_EQ(scheduler.pick(1'400)->bytes, 1'400U);
  EXPECT_EQ(scheduler.pick(1'000'000)->bytes, kQuantum);
  EXPECT_EQ(scheduler.pick(), scheduler.pick());
  EXPECT_EQ(scheduler.pending(1), 100'000U);
}

TEST(StreamScheduler, WhatIsChargedMayBeLessThanPicked) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 600, Phase::kHead);
  scheduler.charge(1, 200);
  EXPECT_EQ(scheduler.pick(), (StreamScheduler::Pick{1, 400, Phase::kHead}));
}

TEST(StreamScheduler, WhatIsChargedMaySpanPhasesAndBeOutOfTurn) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id, kShared);
    append_picture(scheduler, id);
  }
  scheduler.charge(3, 600 + 2'000 + 1);
  EXPECT_EQ(turns(scheduler, 4), "1:600 1:2000 1:10000 3:9999");
}

TEST(StreamScheduler, ABlockedStreamIsPassedOverAndKeepsItsBytes) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id, kShared);
    append_picture(scheduler, id);
  }
  scheduler.block(1);
  scheduler.block(1);
  EXPECT_EQ(turns(scheduler, 2), "3:600 3:2000");
  EXPECT_EQ(scheduler.sendable(), 1U);
  EXPECT_EQ(scheduler.pending(1), 32'600U);
  scheduler.unblock(1);
  scheduler.unblock(1);
  EXPECT_EQ(turns(scheduler, 3), "1:600 1:2000 1:10000");
}

TEST(StreamScheduler, ABlockedStreamTakesBytesAndChargesAndPriorities) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.open(3);
  scheduler.block(3);
  scheduler.append(3, 1'000, Phase::kHead);
  scheduler.reprioritize(3, {.urgency = 0});
  scheduler.charge(3, 400);
  scheduler.append(1, 1'000, Phase::kHead);
  EXPECT_EQ(scheduler.pick()->stream, 1);
  scheduler.unblock(3);
  EXPECT_EQ(scheduler.pick(), (StreamScheduler::Pick{3, 600, Phase::kHead}));
}

TEST(StreamScheduler, ANewPriorityCountsAtOnce) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3, 5}) {
    scheduler.open(id);
    scheduler.append(id, 2 * kQuantum, Phase::kFull);
  }
  EXPECT_EQ(streams(scheduler, 1), "1");
  scheduler.reprioritize(5, {.urgency = 1});
  EXPECT_EQ(streams(scheduler, 9), "5 5 1 3 3");
}

TEST(StreamScheduler, TheSamePriorityAgainChangesNothing) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3, 5}) {
    scheduler.open(id, kShared);
    scheduler.append(id, 2 * kQuantum, Phase::kFull);
  }
  scheduler.reprioritize(1, kShared);
  EXPECT_EQ(streams(scheduler, 9), "1 3 5 1 3 5");
}

TEST(StreamScheduler, ChangingThePriorityToAndFroWinsNothing) {
  StreamScheduler scheduler;
  std::map<StreamId, int> served;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id, kShared);
    scheduler.append(id, 1'000 * kQuantum, Phase::kFull);
  }
  for (int turn = 0; turn < 1'000; ++turn) {
    scheduler.reprioritize(1, {.incremental = true, .weight = 1 + turn % 256});
    scheduler.reprioritize(1, kShared);
    const auto pick = scheduler.pick();
    ++served[pick->stream];
    scheduler.charge(pick->stream, pick->bytes);
  }
  EXPECT_NEAR(served[1], 500, 2);
}

TEST(StreamScheduler, NumbersBeyondTheirRangesAreTheNearestWithin) {
  StreamScheduler scheduler;
  scheduler.open(1, {.urgency = 99, .incremental = true, .weight = 0});
  scheduler.open(3, {.urgency = -1, .incremental = true, .weight = 100'000});
  scheduler.open(5, {.urgency = 0, .incremental = true, .weight = 256});
  for (const StreamId id : {1, 3, 5}) scheduler.append(id, 2 * kQuantum, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 9), "3 5 3 5 1 1");
}

TEST(StreamScheduler, ForgetsAClosedStream) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id, kShared);
    append_picture(scheduler, id);
  }
  ASSERT_EQ(scheduler.pick()->stream, 1);
  scheduler.close(1);
  EXPECT_FALSE(scheduler.is_open(1));
  EXPECT_EQ(scheduler.pending(), 32'600U);
  EXPECT_EQ(turns(scheduler, 2), "3:600 3:2000");
  scheduler.block(3);
  scheduler.close(3);
  EXPECT_EQ(scheduler.pick(), std::nullopt);
  EXPECT_EQ(scheduler.size(), 0U);
}

TEST(StreamScheduler, LateNewsOfAClosedStreamChangesNothing) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 10, Phase::kFull);
  scheduler.close(1);
  for (const StreamId id : {1, 77, -1}) {
    scheduler.append(id, 10, Phase::kFull);
    scheduler.charge(id, 10);
    scheduler.block(id);
    scheduler.unblock(id);
    scheduler.reprioritize(id, {});
    scheduler.close(id);
    EXPECT_FALSE(scheduler.is_open(id));
  }
  EXPECT_EQ(scheduler.pick(), std::nullopt);
  EXPECT_EQ(scheduler.pending(), 0U);
}

TEST(StreamScheduler, OrdersByIdHoweverManyCameAndWent) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 100, Phase::kHead);
  for (StreamId id = 3; id < 100'000; id += 2) {
    scheduler.open(id);
    scheduler.append(id, 100, Phase::kHead);
    if (id > 19) scheduler.close(id - 18);
    ASSERT_EQ(scheduler.pick()->stream, 1);
  }
  scheduler.charge(1, 100);
  EXPECT_EQ(scheduler.pick()->stream, 99'983);
}

TEST(StreamScheduler, OrdersByIdWhereIdsDoNotRise) {
  StreamScheduler scheduler;
  for (const StreamId id : {9, 3, 7, 1, 5}) {
    scheduler.open(id);
    scheduler.append(id, 100, Phase::kHead);
  }
  EXPECT_EQ(streams(scheduler, 9), "1 3 5 7 9");
}

TEST(StreamScheduler, AnIdInBetweenMovesOthersWithTheirPlaces) {
  StreamScheduler scheduler;
  scheduler.open(5);
  scheduler.append(5, 100, Phase::kHead);
  scheduler.open(3);
  scheduler.open(1);
  EXPECT_EQ(scheduler.pick()->stream, 5) << "the others have nothing to send";
  scheduler.close(5);
  EXPECT_EQ(scheduler.pick(), std::nullopt);
}

TEST(StreamScheduler, HoldsItsMostStreams) {
  StreamScheduler scheduler;
  for (StreamId id = 0; id < static_cast<StreamId>(StreamScheduler::kMaxStreams); ++id) {
    scheduler.open(id, kShared);
    scheduler.append(id, kQuantum, id % 2 == 0 ? Phase::kFull : Phase::kHead);
  }
  std::map<StreamId, int> served;
  while (const auto pick = scheduler.pick()) {
    ++served[pick->stream];
    scheduler.charge(pick->stream, pick->bytes);
  }
  EXPECT_EQ(served.size(), StreamScheduler::kMaxStreams);
}

TEST(StreamScheduler, HoldsItsMostStreamsHoweverManyCameAndWent) {
  StreamScheduler scheduler;
  StreamId id = 0;
  for (; scheduler.size() < StreamScheduler::kMaxStreams - 2; ++id) scheduler.open(id);
  for (; id < 10'000; ++id) {
    scheduler.open(id);
    scheduler.append(id, 100, Phase::kHead);
    scheduler.open(++id);
    scheduler.append(id, 100, Phase::kHead);
    ASSERT_EQ(scheduler.pick()->stream, id - 1);
    scheduler.close(id - 1);
    ASSERT_EQ(scheduler.pick()->stream, id);
    scheduler.close(id);
  }
}

TEST(StreamScheduler, MovesWithAllItHolds) {
  StreamScheduler scheduler;
  scheduler.open(1, kShared);
  append_picture(scheduler, 1);
  StreamScheduler other = std::move(scheduler);
  EXPECT_EQ(turns(other, 2), "1:600 1:2000");
}

}  // namespace
}  // namespace optimux::http
