#include "http/stream_scheduler.hpp"

#include <gtest/gtest.h>

#include "unit/http/stream_turns.hpp"

namespace optimux::http {
namespace {

using base::Phase;

TEST(StreamSchedulerPhases, HeadsThenPreviewsThenGoodOnesThenTheRest) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3, 5}) {
    scheduler.open(id, kShared);
    append_picture(scheduler, id);
  }
  EXPECT_EQ(turns(scheduler, 100),
            "1:600 3:600 5:600 1:2000 3:2000 5:2000 1:10000 3:10000 5:10000 "
            "1:16384 3:16384 5:16384 1:3616 3:3616 5:3616");
  EXPECT_EQ(scheduler.pending(), 0U);
}

TEST(StreamSchedulerPhases, APreviewIsSentWholeBeforeTheNext) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id, kShared);
    scheduler.append(id, 40'000, Phase::kFirst);
  }
  EXPECT_EQ(turns(scheduler, 100), "1:16384 1:16384 1:7232 3:16384 3:16384 3:7232");
}

TEST(StreamSchedulerPhases, UrgencyOrdersWithinAPhaseAndNotAcross) {
  StreamScheduler scheduler;
  scheduler.open(1, {.urgency = 5, .incremental = true});
  scheduler.open(3, {.urgency = 1, .incremental = true});
  append_picture(scheduler, 1);
  append_picture(scheduler, 3);
  EXPECT_EQ(turns(scheduler, 8), "3:600 1:600 3:2000 1:2000 3:10000 1:10000 3:16384 3:3616");
}

TEST(StreamSchedulerPhases, ANewPictureComesBeforeTheRefinementOfOthers) {
  StreamScheduler scheduler;
  scheduler.open(1, kShared);
  append_picture(scheduler, 1, 100);
  EXPECT_EQ(turns(scheduler, 2), "1:600 1:16384");
  scheduler.open(3, kShared);
  append_picture(scheduler, 3);
  EXPECT_EQ(turns(scheduler, 2), "3:600 1:16384") << "the older picture has its preview first";
}

TEST(StreamSchedulerPhases, BytesThatComeLaterTakeTheirPlace) {
  StreamScheduler scheduler;
  scheduler.open(1, kShared);
  scheduler.open(3, kShared);
  scheduler.append(3, 50'000, Phase::kFull);
  EXPECT_EQ(turns(scheduler, 1), "3:16384");
  scheduler.append(1, 600, Phase::kHead);
  EXPECT_EQ(turns(scheduler, 2), "1:600 3:16384");
}

TEST(StreamSchedulerPhases, PhasesDoNotGoBack) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 100, Phase::kGood);
  scheduler.append(1, 100, Phase::kHead);
  EXPECT_EQ(scheduler.pick(), (StreamScheduler::Pick{1, 200, Phase::kGood}));
}

TEST(StreamSchedulerPhases, APhaseWithoutBytesIsPassedOver) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, 100, Phase::kHead);
  scheduler.append(1, 100, Phase::kFull);
  scheduler.charge(1, 100);
  EXPECT_EQ(scheduler.pick(), (StreamScheduler::Pick{1, 100, Phase::kFull}));
}

TEST(StreamSchedulerPhases, IncrementalOnesShareTheRestByWeight) {
  StreamScheduler scheduler;
  scheduler.open(1, {.incremental = true, .weight = 32});
  scheduler.open(3, {.incremental = true, .weight = 16});
  for (const StreamId id : {1, 3}) scheduler.append(id, 100 * kQuantum, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 9), "1 3 1 1 3 1 1 3 1");
}

TEST(StreamSchedulerPhases, OthersSendTheRestOneAfterAnother) {
  StreamScheduler scheduler;
  for (const StreamId id : {1, 3}) {
    scheduler.open(id);
    scheduler.append(id, 2 * kQuantum, Phase::kFull);
  }
  EXPECT_EQ(streams(scheduler, 9), "1 1 3 3");
}

TEST(StreamSchedulerPhases, BothKindsHaveHalfTheBytes) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.open(3, kShared);
  scheduler.open(5, kShared);
  scheduler.open(7);
  for (const StreamId id : {1, 3, 5, 7}) scheduler.append(id, 4 * kQuantum, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 16), "1 3 1 5 1 3 1 5 7 3 7 5 7 3 7 5");
}

TEST(StreamSchedulerPhases, ASixteenthGoesToTheBestLowerClass) {
  StreamScheduler scheduler;
  scheduler.open(1, {.urgency = 1});
  scheduler.open(3, {.urgency = 4});
  for (const StreamId id : {1, 3}) scheduler.append(id, 1'000 * kQuantum, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 33), "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 1");
}

TEST(StreamSchedulerPhases, ASixteenthOfThatGoesToThoseBelowInTurn) {
  StreamScheduler scheduler;
  std::map<StreamId, int> served;
  for (const StreamId id : {1, 3, 5, 7}) {
    scheduler.open(id, {.urgency = id});
    scheduler.append(id, std::uint64_t{1} << 40, Phase::kFull);
  }
  for (int turn = 0; turn < 5'120; ++turn) {
    const auto pick = scheduler.pick();
    ++served[pick->stream];
    scheduler.charge(pick->stream, pick->bytes);
  }
  EXPECT_EQ(served, (std::map<StreamId, int>{{1, 4'800}, {3, 300}, {5, 10}, {7, 10}}));
}

TEST(StreamSchedulerPhases, NothingIsSavedUpForAbsentLowerClasses) {
  StreamScheduler scheduler;
  scheduler.open(1);
  scheduler.append(1, std::uint64_t{1} << 40, Phase::kFull);
  streams(scheduler, 1'000);
  scheduler.open(3, {.urgency = 7});
  scheduler.append(3, std::uint64_t{1} << 40, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 17), "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 1");
}

TEST(StreamSchedulerPhases, LittleIsSavedUpWhereTurnsAreNotKept) {
  StreamScheduler scheduler;
  scheduler.open(1, {.urgency = 1});
  scheduler.open(3, {.urgency = 4});
  for (const StreamId id : {1, 3}) scheduler.append(id, 1'000 * kQuantum, Phase::kFull);
  scheduler.charge(1, 500 * kQuantum);
  EXPECT_EQ(streams(scheduler, 17), "3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 1") << "a quantum too soon, and no more";
}

TEST(StreamSchedulerRfc9218, OrdersByUrgencyAndIdAlone) {
  StreamScheduler scheduler(SchedulingPolicy::kRfc9218);
  scheduler.open(1, {.urgency = 3});
  scheduler.open(3, {.urgency = 1});
  scheduler.open(5, {.urgency = 3});
  for (const StreamId id : {1, 3, 5}) append_picture(scheduler, id);
  EXPECT_EQ(turns(scheduler, 100), "3:16384 3:16216 1:16384 1:16216 5:16384 5:16216") << "a turn spans phases";
}

TEST(StreamSchedulerRfc9218, IncrementalOnesShareAlikeWhateverTheirWeight) {
  StreamScheduler scheduler(SchedulingPolicy::kRfc9218);
  scheduler.open(1, {.incremental = true, .weight = 256});
  scheduler.open(3, {.incremental = true, .weight = 1});
  for (const StreamId id : {1, 3}) scheduler.append(id, 3 * kQuantum, Phase::kHead);
  EXPECT_EQ(streams(scheduler, 9), "1 3 1 3 1 3");
}

TEST(StreamSchedulerFair, SharesByWeightAlone) {
  StreamScheduler scheduler(SchedulingPolicy::kFair);
  scheduler.open(1, {.urgency = 0, .weight = 16});
  scheduler.open(3, {.urgency = 7, .weight = 64});
  for (const StreamId id : {1, 3}) scheduler.append(id, 100 * kQuantum, Phase::kHead);
  EXPECT_EQ(streams(scheduler, 8), "3 3 1 3 3 3 3 1");
}

TEST(StreamSchedulerFifo, SendsOneAfterAnotherById) {
  StreamScheduler scheduler(SchedulingPolicy::kFifo);
  scheduler.open(1, {.urgency = 7, .incremental = true});
  scheduler.open(3, {.urgency = 0});
  for (const StreamId id : {3, 1}) scheduler.append(id, 2 * kQuantum, Phase::kFull);
  EXPECT_EQ(streams(scheduler, 9), "1 1 3 3");
}

}  // namespace
}  // namespace optimux::http
