// Renditions that are used again: from the tiers, and past their time.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "unit/service/reuse_fixture.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

class RenditionReuseTest : public ReuseFixture {};

TEST_F(RenditionReuseTest, AfterARestartNothingIsFetchedOrRendered) {
  const std::string bytes = make();
  const auto first = open();
  start_again();
  auto again = open();
  EXPECT_EQ(outcome(again), CacheOutcome::kDisk);
  EXPECT_EQ(again.rendition->facts(), first.rendition->facts());
  EXPECT_EQ(doubles::read(again.reader), bytes);
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(read(spec(), CacheOutcome::kHit), bytes) << "now it is in memory";
  EXPECT_EQ(service->figures().cache_misses, 0U);
  EXPECT_EQ(tier->insertions(), 1);
}

TEST_F(RenditionReuseTest, ByTheirKeysOnlyWhatIsFreshInMemoryIsOpened) {
  const auto wanted = spec({{10, 0}, {20, 0}});
  const std::vector<std::string> keys = {rendition_key(wanted, 0), rendition_key(wanted, 1)};
  EXPECT_TRUE(service->open_fresh(keys).empty());
  const std::string bytes = make(spec({{10, 0}}));
  EXPECT_TRUE(service->open_fresh(keys).empty()) << "not all of them";
  EXPECT_EQ(service->figures().cache_hits, 0U);
  const auto made = open_all(wanted);
  finish();
  const auto hits = service->figures().cache_hits;
  auto opened = service->open_fresh(keys);
  ASSERT_EQ(opened.size(), 2U);
  EXPECT_EQ(opened[0].outcome, CacheOutcome::kHit);
  EXPECT_EQ(doubles::read(opened[0].reader), bytes);
  EXPECT_EQ(doubles::read(opened[1].reader), "picture@20x0q0");
  EXPECT_EQ(service->figures().cache_hits, hits + 2);
  opened[1].rendition->set_validated_at(std::chrono::steady_clock::now() - limits.cache_time);
  EXPECT_TRUE(service->open_fresh(keys).empty()) << "past its time";
  EXPECT_EQ(service->figures().cache_hits, hits + 2);
}

TEST_F(RenditionReuseTest, DescriptionsOutlastTheProcessToo) {
  {
    auto opened = service->open_info(spec().source, base::Deadline::never());
    finish();
    EXPECT_TRUE(is_complete(opened));
  }
  start_again();
  auto again = service->open_info(spec().source, base::Deadline::never());
  EXPECT_EQ(outcome(again), CacheOutcome::kDisk);
  EXPECT_NE(doubles::read(again.reader).find("blur_hash"), std::string::npos);
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(RenditionReuseTest, OnlyTheMissingSizesAreMade) {
  make(spec({{10, 0}}));
  start_again();
  auto opened = open_all(spec({{10, 0}, {20, 0}, {30, 0}}));
  EXPECT_TRUE(is_complete(opened[0]));
  finish();
  EXPECT_EQ(executor.last_size_count(), 2);
  EXPECT_EQ(doubles::read(opened[1].reader), "picture@20x0q0");
  EXPECT_EQ(doubles::read(opened[2].reader), "picture@30x0q0");
  EXPECT_EQ(service->figures().cache_misses, 2U);
}

TEST_F(RenditionReuseTest, RequestsForOneRenditionAreOneSearch) {
  make();
  start_again();
  tier->hold();
  auto first = open();
  auto second = open();
  EXPECT_EQ(tier->waiting(), 1U);
  EXPECT_EQ(second.outcome, CacheOutcome::kJoined);
  EXPECT_TRUE(tier->answer());
  EXPECT_EQ(doubles::read(first.reader), "picture@10x0q0");
  EXPECT_EQ(doubles::read(second.reader), "picture@10x0q0");
}

TEST_F(RenditionReuseTest, SearchOfAClientThatHasLeftComesToNothing) {
  tier->hold();
  { const auto opened = open(); }
  EXPECT_EQ(service->figures().in_flight, 0U);
  EXPECT_TRUE(tier->answer());
  EXPECT_EQ(source.fetches(), 0) << "nobody wants it any more";
}

TEST_F(RenditionReuseTest, DeadlineHoldsWhileATierIsAsked) {
  tier->hold();
  const auto opened = open(spec(), base::Deadline::after(milliseconds(1)));
  while (!opened.rendition->body()->is_finished()) std::this_thread::yield();
  EXPECT_EQ(error_of(opened), ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(tier->answer());
  EXPECT_EQ(source.fetches(), 0);
}

TEST_F(RenditionReuseTest, ATierThatHangsHoldsUpNobody) {
  make();
  limits.cache_timeout = milliseconds(1);
  start_again();
  tier->hold();
  auto opened = open();
  while (source.pending() == 0) std::this_thread::yield();
  finish();
  EXPECT_EQ(outcome(opened), CacheOutcome::kMiss);
  EXPECT_EQ(doubles::read(opened.reader), "picture@10x0q0");
  EXPECT_TRUE(tier->answer()) << "and what it says then finds nobody";
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(RenditionReuseTest, ATierMayAnswerWhenTheServiceHasGone) {
  tier->hold();
  const auto opened = open();
  service.reset();
  EXPECT_EQ(error_of(opened), ErrorCode::kShuttingDown);
  EXPECT_TRUE(tier->answer());
  EXPECT_EQ(source.fetches(), 0);
}

TEST_F(RenditionReuseTest, WhatTheOriginWantsForTheAskerAloneIsInNoTier) {
  const auto opened = open();
  source.answer("picture", {{}, "", "private"});
  while (pool.run_next()) {
  }
  EXPECT_TRUE(is_complete(opened));
  EXPECT_EQ(tier->insertions(), 0);
}

TEST_F(RenditionReuseTest, PoolThatIsBusyIsNoReasonToRefuseWhatIsOnDisk) {
  make();
  start_again();
  pool.set_expected_wait(hours(1));
  auto opened = open(spec(), base::Deadline::after(minutes(1)));
  EXPECT_EQ(doubles::read(opened.reader), "picture@10x0q0");
}

TEST_F(RenditionReuseTest, PastItsTimeTheSourceIsAskedAndIfUnchangedNothingIsRendered) {
  const std::string bytes = make();
  const std::string etag = open().rendition->facts().etag;
  tier->age(minutes(6));
  start_again();
  auto opened = open();
  EXPECT_FALSE(is_complete(opened));
  EXPECT_TRUE(source.answer("picture"));
  while (pool.run_next()) {
  }
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
  EXPECT_EQ(doubles::read(opened.reader), bytes);
  EXPECT_EQ(opened.rendition->facts().etag, etag);
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(tier->renewals(), 1);
  EXPECT_EQ(tier->insertions(), 1) << "no byte of it was written again";
  EXPECT_EQ(service->figures().revalidated, 1U);
  start_again();
  EXPECT_EQ(read(spec(), CacheOutcome::kDisk), bytes) << "it is fresh again";
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(RenditionReuseTest, WhatTheOriginSaysAnewIsKept) {
  make();
  tier->age(minutes(6));
  start_again();
  const auto opened = open();
  source.answer("picture", {{}, "\"new\"", "max-age=3"});
  finish();
  EXPECT_EQ(opened.rendition->facts().cache_control, "max-age=3");
  EXPECT_EQ(tier->kept(opened.rendition->key())->facts().source_etag, "\"new\"");
}

TEST_F(RenditionReuseTest, WhatMayNotBeKeptAnyMoreIsForgotten) {
  make();
  tier->age(minutes(6));
  start_again();
  auto opened = open();
  source.answer("picture", {{}, "", "no-store"});
  finish();
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
  EXPECT_EQ(doubles::read(opened.reader), "picture@10x0q0");
  EXPECT_EQ(tier->size(), 0U);
  EXPECT_EQ(service->figures().cache_entries, 0U);
}

TEST_F(RenditionReuseTest, PastItsTimeAChangedSourceIsRenderedAndReplacesTheOld) {
  make();
  tier->age(minutes(6));
  start_again();
  EXPECT_EQ(make(spec(), "changed"), "changed@10x0q0");
  EXPECT_EQ(executor.renders(), 2);
  start_again();
  EXPECT_EQ(read(spec(), CacheOutcome::kDisk), "changed@10x0q0");
}

TEST_F(RenditionReuseTest, InMemoryTheSameHolds) {
  limits.cache_time = milliseconds(0);
  start_again();
  const std::string bytes = make();
  auto opened = open();
  EXPECT_FALSE(is_complete(opened));
  finish();
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
  EXPECT_EQ(doubles::read(opened.reader), bytes);
  EXPECT_EQ(executor.renders(), 1);
}

TEST_F(RenditionReuseTest, StaleOneIsGivenAtOnceAndItsSourceAskedBehind) {
  limits.stale_while_revalidate = minutes(5);
  start_again();
  make();
  tier->age(minutes(6));
  start_again();
  EXPECT_EQ(read(spec(), CacheOutcome::kStale), "picture@10x0q0");
  EXPECT_EQ(source.pending(), 1U) << "asked behind the answer";
  EXPECT_EQ(read(spec(), CacheOutcome::kStale), "picture@10x0q0") << "from memory, without waiting";
  EXPECT_EQ(source.pending(), 1U) << "once";
  EXPECT_TRUE(source.answer("changed"));
  while (pool.run_next()) {
  }
  EXPECT_EQ(read(spec(), CacheOutcome::kHit), "changed@10x0q0");
  EXPECT_EQ(tier->kept(open().rendition->key())->facts(), open().rendition->facts());
  EXPECT_EQ(service->figures().stale, 2U);
}

TEST_F(RenditionReuseTest, BehindAnAnswerSeveralSizesAreAskedForTogether) {
  limits.stale_while_revalidate = minutes(5);
  start_again();
  make(spec({{10, 0}, {20, 0}}));
  tier->age(minutes(6));
  start_again();
  for (const auto& opened : open_all(spec({{10, 0}, {20, 0}}))) EXPECT_EQ(outcome(opened), CacheOutcome::kStale);
  EXPECT_EQ(source.pending(), 1U);
  finish();
  for (const auto& opened : open_all(spec({{10, 0}, {20, 0}}))) EXPECT_EQ(outcome(opened), CacheOutcome::kHit);
  EXPECT_EQ(executor.renders(), 1);
}

TEST_F(RenditionReuseTest, SourceThatFailsBehindAnAnswerRests) {
  limits.stale_while_revalidate = minutes(5);
  start_again();
  make();
  tier->age(minutes(6));
  start_again();
  read(spec(), CacheOutcome::kStale);
  EXPECT_TRUE(source.fail(ErrorCode::kOriginFailed));
  for (int i = 0; i < 3; ++i) read(spec(), CacheOutcome::kStale);
  EXPECT_EQ(source.pending(), 0U);
}

TEST_F(RenditionReuseTest, IfTheSourceFailsTheStaleOneIsGiven) {
  limits.stale_if_error = hours(1);
  start_again();
  make();
  tier->age(minutes(6));
  for (const auto code : {ErrorCode::kOriginFailed, ErrorCode::kOriginTimeout}) {
    start_again();
    auto opened = open();
    EXPECT_TRUE(source.fail(code));
    EXPECT_EQ(outcome(opened), CacheOutcome::kStale);
    EXPECT_EQ(doubles::read(opened.reader), "picture@10x0q0");
    EXPECT_EQ(read(spec(), CacheOutcome::kStale), "picture@10x0q0") << "at once, while the source rests";
    EXPECT_EQ(source.pending(), 0U);
  }
}

TEST_F(RenditionReuseTest, ButNotForEver) {
  limits.stale_if_error = hours(1);
  start_again();
  make();
  tier->age(minutes(66));
  start_again();
  const auto opened = open();
  EXPECT_TRUE(source.fail(ErrorCode::kOriginFailed));
  EXPECT_EQ(error_of(opened), ErrorCode::kOriginFailed);
}

TEST_F(RenditionReuseTest, SourceThatIsGoneIsGoneAndForgotten) {
  limits.stale_if_error = hours(1);
  start_again();
  make();
  make(spec({{20, 0}}));
  tier->age(minutes(6));
  for (const auto code : {ErrorCode::kNotFound, ErrorCode::kForbiddenSource}) {
    start_again();
    const auto opened = open();
    EXPECT_TRUE(source.fail(code));
    EXPECT_EQ(error_of(opened), code);
    EXPECT_EQ(tier->size(), 0U) << "its other sizes too";
    make();
    make(spec({{20, 0}}));
    tier->age(minutes(6));
  }
}

}  // namespace
}  // namespace optimux::service
