#include "service/rendition_service.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/service/service_fixture.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using doubles::read;
using std::chrono::microseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class RenditionServiceTest : public ServiceFixture {};

TEST_F(RenditionServiceTest, MissIsFetchedRenderedAndKept) {
  auto first = open();
  EXPECT_EQ(first.outcome, CacheOutcome::kMiss);
  EXPECT_EQ(source.pending(), 1U);
  EXPECT_EQ(pool.waiting(), 0U) << "no worker is held while a source is fetched";
  finish();
  EXPECT_EQ(read(first.reader), "picture@10x0q0");
  EXPECT_TRUE(first.reader.at_end());
  EXPECT_TRUE(first.rendition->validated_at().has_value());

  auto second = open();
  EXPECT_EQ(second.outcome, CacheOutcome::kHit);
  EXPECT_EQ(second.rendition, first.rendition);
  EXPECT_EQ(read(second.reader), "picture@10x0q0");
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(executor.renders(), 1);
}

TEST_F(RenditionServiceTest, ManyColdRequestsAreOneFetchAndOneRender) {
  std::vector<OpenedRendition> clients;
  for (int i = 0; i < 64; ++i) clients.push_back(open());
  finish();
  for (auto& client : clients) EXPECT_EQ(read(client.reader), "picture@10x0q0");
  EXPECT_EQ(clients.front().outcome, CacheOutcome::kMiss);
  EXPECT_EQ(clients.back().outcome, CacheOutcome::kJoined);
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(service->figures().joined, 63U);
}

TEST_F(RenditionServiceTest, FollowersLiveOnWhenTheFirstClientLeaves) {
  std::vector<OpenedRendition> clients;
  for (int i = 0; i < 64; ++i) clients.push_back(open());
  clients.erase(clients.begin());
  EXPECT_FALSE(source.is_cancelled());
  finish();
  EXPECT_EQ(clients.size(), 63U);
  for (auto& client : clients) EXPECT_EQ(read(client.reader), "picture@10x0q0");
}

TEST_F(RenditionServiceTest, AFetchIsCancelledWithItsLastReader) {
  {
    const auto first = open();
    const auto second = open();
  }
  EXPECT_TRUE(source.is_cancelled());
  EXPECT_EQ(service->figures().cancelled, 1U);
  EXPECT_EQ(service->figures().in_flight, 0U);
  auto afresh = open();
  EXPECT_EQ(afresh.outcome, CacheOutcome::kMiss);
  finish();
  EXPECT_EQ(read(afresh.reader), "picture@10x0q0");
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(RenditionServiceTest, AQueuedJobIsDroppedWithItsLastReader) {
  {
    const auto only = open();
    source.answer();
    EXPECT_EQ(pool.waiting(), 1U);
  }
  EXPECT_EQ(pool.waiting(), 0U);
  EXPECT_EQ(executor.inspections(), 0);
  expect_works();
}

TEST_F(RenditionServiceTest, ARunningJobIsStoppedWithItsLastReader) {
  OpenedRendition only = open();
  bool was_stopped = false;
  executor.during_render = [&](std::size_t, const media::OperationControl& control) {
    only.reader = {};
    was_stopped = control.stop.stop_requested();
  };
  finish();
  EXPECT_TRUE(was_stopped);
  EXPECT_EQ(pool.cut_short(), 1);
  EXPECT_EQ(error_of(only), ErrorCode::kCancelled);
  executor.during_render = nullptr;
  EXPECT_EQ(service->figures().cache_entries, 0U);
  EXPECT_EQ(open().outcome, CacheOutcome::kMiss);
}

TEST_F(RenditionServiceTest, OneWhoComesAsTheLastLeavesKeepsTheJob) {
  auto first = open();
  source.answer();
  executor.during_render = [&](std::size_t, const media::OperationControl& control) {
    auto second = open();
    first.reader = std::move(second.reader);
    EXPECT_FALSE(control.stop.stop_requested());
  };
  finish();
  EXPECT_EQ(read(first.reader), "picture@10x0q0");
}

TEST_F(RenditionServiceTest, SeveralSizesAreOneRender) {
  auto opened = open_all(spec({{10, 0}, {20, 0}, {30, 0}}));
  finish();
  ASSERT_EQ(opened.size(), 3U);
  EXPECT_EQ(read(opened[0].reader), "picture@10x0q0");
  EXPECT_EQ(read(opened[2].reader), "picture@30x0q0");
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(executor.last_size_count(), 3);
  EXPECT_EQ(service->figures().cache_entries, 3U);
}

TEST_F(RenditionServiceTest, OnlyMissingSizesAreRendered) {
  auto first = open(spec({{20, 0}}));
  finish();
  auto opened = open_all(spec({{10, 0}, {20, 0}, {30, 0}}));
  finish();
  EXPECT_EQ(executor.last_size_count(), 2);
  EXPECT_EQ(opened[1].outcome, CacheOutcome::kHit);
  EXPECT_EQ(read(opened[0].reader), "picture@10x0q0");
  EXPECT_EQ(read(opened[1].reader), "picture@20x0q0");
  EXPECT_EQ(read(opened[2].reader), "picture@30x0q0");
}

TEST_F(RenditionServiceTest, TheSameSizeTwiceIsOneRendition) {
  auto opened = open_all(spec({{10, 0}, {10, 0}}));
  finish();
  EXPECT_EQ(opened[0].rendition, opened[1].rendition);
  EXPECT_EQ(executor.last_size_count(), 1);
  EXPECT_EQ(read(opened[1].reader), "picture@10x0q0");
}

TEST_F(RenditionServiceTest, SizesThatNobodyReadsAreFinishedBesideTheFirst) {
  auto opened = open_all(spec({{10, 0}, {20, 0}}));
  opened.pop_back();
  finish();
  EXPECT_EQ(read(opened[0].reader), "picture@10x0q0");
  EXPECT_EQ(open(spec({{20, 0}})).outcome, CacheOutcome::kHit);
}

TEST_F(RenditionServiceTest, OtherSizesAreFinishedWhenTheFirstIsComplete) {
  auto opened = open_all(spec({{10, 0}, {20, 0}}));
  executor.during_render = [&](std::size_t index, const media::OperationControl& control) {
    if (index == 1) opened.clear();
    EXPECT_FALSE(control.stop.stop_requested());
  };
  finish();
  EXPECT_EQ(open(spec({{20, 0}})).outcome, CacheOutcome::kHit);
  EXPECT_EQ(service->figures().cancelled, 0U);
}

TEST_F(RenditionServiceTest, TwoRenditionsOfOneSourceShareTheFetch) {
  auto small = open(spec({{10, 0}}));
  auto large = open(spec({{90, 0}}));
  EXPECT_EQ(source.fetches(), 1);
  finish();
  EXPECT_EQ(read(small.reader), "picture@10x0q0");
  EXPECT_EQ(read(large.reader), "picture@90x0q0");
  EXPECT_EQ(executor.renders(), 2);
  EXPECT_EQ(service->figures().fetches_joined, 1U);
}

TEST_F(RenditionServiceTest, TheSourceIsToldWhatTheRequestCameThrough) {
  auto picture = service->open(spec(), base::Deadline::never(), "1.1 a");
  EXPECT_EQ(source.via(), "1.1 a");
  auto info = service->open_info(spec({{10, 0}}, "dog.jpg").source, base::Deadline::never(), "1.1 b");
  EXPECT_EQ(source.via(), "1.1 b");
  finish();
}

TEST_F(RenditionServiceTest, ASharedFetchLivesUntilItsLastJobIsGone) {
  auto small = open(spec({{10, 0}}));
  auto large = open(spec({{90, 0}}));
  small.reader = {};
  EXPECT_FALSE(source.is_cancelled());
  finish();
  EXPECT_EQ(read(large.reader), "picture@90x0q0");
  EXPECT_EQ(executor.renders(), 1);
}

TEST_F(RenditionServiceTest, TheSourceIsLetGoOfWhenTheRenderEnds) {
  auto first = open();
  finish();
  EXPECT_TRUE(is_complete(first));
  EXPECT_FALSE(executor.still_holds_source());
}

TEST_F(RenditionServiceTest, FactsAreThereBeforeTheBody) {
  auto first = open();
  const auto modified = std::chrono::system_clock::time_point(seconds(1'000'000));
  source.answer("picture", {modified, "\"origin\"", "max-age=60"});
  RenditionFacts facts;
  RenditionTimings timings;
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    facts = first.rendition->facts();
    timings = first.rendition->timings();
  };
  finish();
  EXPECT_EQ(facts.cache_control, "max-age=60");
  EXPECT_EQ(facts.last_modified, modified);
  EXPECT_THAT(facts.etag, testing::MatchesRegex("\"[0-9a-f]{32}-[0-9a-f]{16}\""));
  EXPECT_EQ(timings.source_bytes, 7U);
  EXPECT_EQ(timings.queue.count(), 7);
}

TEST_F(RenditionServiceTest, WhoOnlyAsksForTheFactsIsWokenBeforeTheRender) {
  auto first = open();
  source.answer("picture");
  std::string etag;
  const bool waits = first.reader.wait([&] { etag = first.rendition->facts().etag; });
  EXPECT_TRUE(waits);
  executor.during_inspect = [&] { EXPECT_TRUE(first.rendition->facts().etag.empty()); };
  executor.during_render = [&](std::size_t, const media::OperationControl&) { EXPECT_FALSE(etag.empty()); };
  finish();
  EXPECT_EQ(executor.renders(), 1);
}

TEST_F(RenditionServiceTest, WhoLeavesWithTheFactsSavesTheRender) {
  auto first = open();
  source.answer("picture");
  const bool waits = first.reader.wait([&] { first.reader = {}; });
  EXPECT_TRUE(waits);
  finish();
  EXPECT_EQ(executor.inspections(), 1);
  EXPECT_EQ(executor.renders(), 0);
  EXPECT_EQ(service->figures().cancelled, 1U);
}

TEST_F(RenditionServiceTest, ReadersOfTheHeadKnowTheDecodeTimeAndThoseOfTheEndAll) {
  auto first = open();
  source.answer("picture");
  microseconds decode_at_head{0};
  microseconds encode_at_end{0};
  executor.during_render = [&](std::size_t, const media::OperationControl&) {
    decode_at_head = first.rendition->timings().decode;
    first.reader.acknowledge_head();
    const bool waits = first.reader.wait([&] {
      first.reader.consume(first.reader.peek().size());
      const bool waits_for_end = first.reader.wait([&] { encode_at_end = first.rendition->timings().encode; });
      EXPECT_TRUE(waits_for_end);
    });
    EXPECT_TRUE(waits);
  };
  finish();
  EXPECT_EQ(decode_at_head.count(), 11);
  EXPECT_EQ(encode_at_end.count(), 13);
}

TEST_F(RenditionServiceTest, WhatItsOriginForbidsToKeepIsNotKept) {
  for (const char* directives : {"no-store", "max-age=5, Private", "private=\"x\""}) {
    auto first = open();
    source.answer("picture", {std::nullopt, "", directives});
    finish();
    EXPECT_EQ(service->figures().cache_entries, 0U) << directives;
  }
  auto kept = open();
  source.answer("picture", {std::nullopt, "", "max-age=5, no-transform"});
  finish();
  EXPECT_EQ(service->figures().cache_entries, 1U);
}

TEST_F(RenditionServiceTest, TenSizesOneAfterAnotherFetchOnce) {
  for (int width = 1; width <= 10; ++width) {
    auto opened = open(remote({{width, 0}}));
    finish();
    EXPECT_EQ(read(opened.reader), "picture@" + std::to_string(width) + "x0q0");
  }
  EXPECT_EQ(source.fetches(), 1);
  const auto figures = service->figures();
  EXPECT_EQ(figures.source_cache_hits, 9U);
  EXPECT_EQ(figures.source_cache_misses, 1U);
  EXPECT_EQ(figures.source_cache_entries, 1U);
  EXPECT_GT(figures.source_cache_bytes, 0U);
}

TEST_F(RenditionServiceTest, TheSourceCacheFollowsItsLimits) {
  const auto first = open(remote({{1, 0}}));
  finish();
  service->set_limits({.source_cache_bytes = 0});
  EXPECT_EQ(service->figures().source_cache_entries, 0U);
  const auto second = open(remote({{2, 0}}));
  finish();
  EXPECT_EQ(source.fetches(), 2);
  service->set_limits({.source_cache_time = std::chrono::seconds(0)});
  for (int width = 3; width <= 4; ++width) {
    const auto opened = open(remote({{width, 0}}));
    finish();
  }
  EXPECT_EQ(source.fetches(), 4);
}

TEST_F(RenditionServiceTest, EtagsFollowTheBytes) {
  restart({.memory_cache_bytes = 0});
  const auto etag = [this](const TransformSpec& wanted, std::string_view content) {
    auto opened = open(wanted);
    source.answer(content);
    pool.run_all();
    return opened.rendition->facts().etag;
  };
  const std::string first = etag(spec(), "picture");
  EXPECT_EQ(etag(spec(), "picture"), first);
  EXPECT_NE(etag(spec(), "another"), first);
  EXPECT_NE(etag(spec({{11, 0}}), "picture"), first);
  EXPECT_EQ(executor.renders(), 4) << "a cache of no bytes keeps nothing";
}

TEST_F(RenditionServiceTest, TheCanonicalSpecIsRendered) {
  auto wanted = spec({{10, 0}});
  wanted.render.dpr = 2;
  wanted.render.format = media::Format::kWebp;
  wanted.render.quality = 79;
  auto opened = open(wanted);
  finish();
  EXPECT_EQ(read(opened.reader), "picture@20x0q0");
}

TEST_F(RenditionServiceTest, RenditionsUsedLongAgoAreEvicted) {
  restart({.memory_cache_bytes = 60'000});
  for (int width = 1; width <= 20; ++width) {
    auto opened = open(spec({{width, 0}}));
    finish();
  }
  EXPECT_GT(service->figures().evictions, 0U);
  EXPECT_LE(service->figures().cache_bytes, 60'000U);
  EXPECT_EQ(open(spec({{20, 0}})).outcome, CacheOutcome::kHit);
  EXPECT_EQ(open(spec({{1, 0}})).outcome, CacheOutcome::kMiss);
}

TEST_F(RenditionServiceTest, InfoIsAJsonBodyLikeAnyOther) {
  const auto locator = spec().source;
  auto first = service->open_info(locator, base::Deadline::never());
  auto second = service->open_info(locator, base::Deadline::never());
  EXPECT_EQ(second.outcome, CacheOutcome::kJoined);
  finish();
  EXPECT_EQ(first.rendition->body()->head()->content_type, "application/json");
  const std::string document = read(first.reader);
  EXPECT_THAT(document, HasSubstr("\"width\":40,\"height\":30"));
  EXPECT_THAT(document, HasSubstr("\"blur_hash\":\"L6PZfSi_.AyE_3t7t7R**0o#DgR4\""));
  EXPECT_EQ(read(second.reader), document);
  EXPECT_EQ(service->open_info(locator, base::Deadline::never()).outcome, CacheOutcome::kHit);
  EXPECT_NE(first.rendition->facts().etag, "");
}

TEST_F(RenditionServiceTest, OriginalIsTheBytesOfTheSource) {
  const auto locator = spec().source;
  auto first = service->open_original(locator, base::Deadline::never());
  auto rendered = open(spec({{10, 0}}));
  finish();
  EXPECT_EQ(first.rendition->body()->head()->content_type, "image/jpeg");
  EXPECT_EQ(read(first.reader), "picture");
  EXPECT_EQ(service->open_original(locator, base::Deadline::never()).outcome, CacheOutcome::kHit);
  EXPECT_NE(first.rendition->facts().etag, "");
  EXPECT_NE(first.rendition->facts().etag, rendered.rendition->facts().etag);
}

TEST_F(RenditionServiceTest, RetryAfterIsTheExpectedWaitInWholeSeconds) {
  EXPECT_EQ(service->retry_after(), seconds(1));
  pool.set_expected_wait(std::chrono::milliseconds(2100));
  EXPECT_EQ(service->retry_after(), seconds(3));
}

}  // namespace
}  // namespace optimux::service
