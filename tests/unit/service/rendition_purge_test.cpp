// What a purge forgets, and what becomes of the renditions that are in the making then.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/reuse_fixture.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using std::chrono::hours;

class RenditionPurgeTest : public ReuseFixture {};

TEST_F(RenditionPurgeTest, PurgedSourceIsAskedAnew) {
  make();
  make(spec({{20, 0}}));
  make(spec({{10, 0}}, "dog.jpg"));
  EXPECT_TRUE(purge_source());
  EXPECT_EQ(tier->size(), 1U);
  EXPECT_EQ(make(spec(), "changed"), "changed@10x0q0");
  EXPECT_EQ(read(spec({{10, 0}}, "dog.jpg"), CacheOutcome::kHit), "picture@10x0q0");
}

TEST_F(RenditionPurgeTest, PurgedRenditionIsMadeAnewAndOthersStay) {
  make();
  make(spec({{20, 0}}));
  bool purged = false;
  service->purge({spec()}, [&](const base::Status& status) { purged = status.has_value(); });
  EXPECT_TRUE(purged);
  EXPECT_EQ(make(spec(), "changed"), "changed@10x0q0");
  EXPECT_EQ(read(spec({{20, 0}}), CacheOutcome::kHit), "picture@20x0q0");
}

TEST_F(RenditionPurgeTest, EverythingCanBePurged) {
  make();
  make(spec({{10, 0}}, "dog.jpg"));
  service->purge_all([](const base::Status&) {});
  EXPECT_EQ(tier->size(), 0U);
  EXPECT_EQ(service->figures().cache_entries, 0U);
}

TEST_F(RenditionPurgeTest, WhatIsInTheMakingWhenItsSourceIsPurgedIsNotKept) {
  auto old = open();
  ASSERT_TRUE(source.answer("old"));
  EXPECT_TRUE(purge_source());
  auto young = open();
  EXPECT_EQ(young.outcome, CacheOutcome::kMiss) << "it does not join what may be out of date";
  EXPECT_TRUE(source.answer("new"));
  while (pool.run_next()) {
  }
  EXPECT_EQ(doubles::read(old.reader), "old@10x0q0") << "who waits for it still gets it";
  EXPECT_EQ(doubles::read(young.reader), "new@10x0q0");
  EXPECT_EQ(read(spec(), CacheOutcome::kHit), "new@10x0q0");
  EXPECT_EQ(tier->kept(young.rendition->key())->facts(), young.rendition->facts());
}

TEST_F(RenditionPurgeTest, FetchUnderWayWhenItsSourceIsPurgedIsNotJoined) {
  auto old = open();
  EXPECT_TRUE(purge_source());
  auto young = open();
  EXPECT_EQ(source.fetches(), 2);
  EXPECT_TRUE(source.answer("old"));
  EXPECT_TRUE(source.answer("new"));
  finish();
  EXPECT_EQ(doubles::read(young.reader), "new@10x0q0");
}

TEST_F(RenditionPurgeTest, WhatIsFoundInATierWhileThatIsPurgedIsNotKept) {
  make();
  start_again();
  tier->hold();
  bool purged = false;
  service->purge_source(spec().source, [&](const base::Status&) { purged = true; });
  auto opened = open();  // asks the tier, which has not forgotten it yet
  EXPECT_EQ(tier->waiting(), 2U);
  const auto found = tier->kept(opened.rendition->key());
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(tier->answer());  // the erasure
  EXPECT_TRUE(purged);
  tier->insert(found);  // as if the search had come before it
  EXPECT_TRUE(tier->answer());
  EXPECT_TRUE(is_complete(opened));
  EXPECT_EQ(service->figures().cache_entries, 0U);
}

TEST_F(RenditionPurgeTest, PurgeForgetsThatASourceHasFailed) {
  limits.negative_cache = hours(1);
  start_again();
  {
    const auto opened = open();
    EXPECT_TRUE(source.answer("no picture"));
    executor.failed_inspection = executor.inspections() + 1;
    executor.failure = ErrorCode::kUnsupportedMedia;
    pool.run_all();
  }
  EXPECT_EQ(error_of(open()), ErrorCode::kUnsupportedMedia);
  EXPECT_TRUE(purge_source());
  EXPECT_EQ(make(), "picture@10x0q0");
}

}  // namespace
}  // namespace optimux::service
