// Renditions past their time whose origin says, without sending a byte, that it still has what they were made from.
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/service/reuse_fixture.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::SourceFacts;
using source::SourceValidators;
using std::chrono::minutes;
using std::chrono::system_clock;

const system_clock::time_point kThen = system_clock::from_time_t(1'000'000);

class RenditionConfirmedTest : public ReuseFixture {
 protected:
  /// Has `wanted` made of a source of which its origin says `facts`.
  void make_of(const SourceFacts& facts, const TransformSpec& wanted = spec()) {
    const auto opened = open_all(wanted);
    ASSERT_TRUE(source.answer("picture", facts));
    pool.run_all();
    ASSERT_TRUE(is_complete(opened.front()));
  }
  /// Everything is past its time, and no source is kept.
  void grow_old() {
    tier->age(minutes(6));
    start_again();
  }
  bool confirm(const SourceFacts& facts = {}) { return source.answer(FetchedSource{nullptr, facts, true}); }
};

TEST_F(RenditionConfirmedTest, IsGivenWithoutTheSourceAndWithoutAWorker) {
  const SourceFacts facts{kThen, "\"a\"", "max-age=1", "http://origin/end"};
  make_of(facts);
  const RenditionFacts made = open().rendition->facts();
  grow_old();
  const int submissions = pool.submissions();
  auto opened = open();
  EXPECT_EQ(source.validators(), facts.validators());
  ASSERT_TRUE(confirm());
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
  EXPECT_EQ(doubles::read(opened.reader), "picture@10x0q0");
  EXPECT_EQ(opened.rendition->facts(), made) << "what the confirmation leaves out stays as it was";
  EXPECT_EQ(pool.submissions(), submissions);
  EXPECT_EQ(executor.renders(), 1);
  EXPECT_EQ(tier->renewals(), 1);
  EXPECT_EQ(service->figures().revalidated, 1U);
  start_again();
  EXPECT_EQ(read(spec(), CacheOutcome::kDisk), "picture@10x0q0") << "it is fresh again";
}

TEST_F(RenditionConfirmedTest, ADateAloneIsEnoughToAskWith) {
  make_of({.last_modified = kThen});
  grow_old();
  const auto opened = open();
  EXPECT_EQ(source.validators(), SourceValidators{.last_modified = kThen});
  ASSERT_TRUE(confirm());
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
}

TEST_F(RenditionConfirmedTest, WhatTheConfirmationSaysAnewIsKept) {
  make_of({.etag = "\"a\"", .cache_control = "max-age=1"});
  grow_old();
  const auto opened = open();
  ASSERT_TRUE(confirm({.etag = "\"a\"", .cache_control = "max-age=9"}));
  EXPECT_EQ(opened.rendition->facts().cache_control, "max-age=9");
  EXPECT_EQ(tier->kept(opened.rendition->key())->facts().cache_control, "max-age=9");
}

TEST_F(RenditionConfirmedTest, AChangedSourceIsRenderedAsBefore) {
  make_of({.etag = "\"a\""});
  grow_old();
  auto opened = open();
  ASSERT_TRUE(source.answer("changed", {.etag = "\"b\""}));
  pool.run_all();
  EXPECT_EQ(outcome(opened), CacheOutcome::kMiss);
  EXPECT_EQ(doubles::read(opened.reader), "changed@10x0q0");
  EXPECT_EQ(opened.rendition->facts().source_etag, "\"b\"");
}

TEST_F(RenditionConfirmedTest, AllSizesOfARequestAreConfirmedByOneAnswer) {
  const TransformSpec wanted = spec({{10, 0}, {20, 0}});
  make_of({.etag = "\"a\""}, wanted);
  grow_old();
  auto opened = open_all(wanted);
  EXPECT_EQ(source.pending(), 1U);
  ASSERT_TRUE(confirm());
  EXPECT_EQ(doubles::read(opened[0].reader), "picture@10x0q0");
  EXPECT_EQ(doubles::read(opened[1].reader), "picture@20x0q0");
}

TEST_F(RenditionConfirmedTest, ASizeThatIsToBeMadeNeedsTheBytes) {
  make_of({.etag = "\"a\""});
  grow_old();
  const auto opened = open_all(spec({{10, 0}, {20, 0}}));
  EXPECT_TRUE(source.validators().empty());
  finish();
  EXPECT_EQ(outcome(opened[0]), CacheOutcome::kRevalidated);
  EXPECT_EQ(outcome(opened[1]), CacheOutcome::kMiss);
}

TEST_F(RenditionConfirmedTest, SizesOfDifferentStatesOfTheSourceNeedTheBytes) {
  make_of({.etag = "\"a\""});
  const auto other = open(spec({{20, 0}}));
  ASSERT_TRUE(source.answer("changed", {.etag = "\"a\""}));
  pool.run_all();
  grow_old();
  const auto opened = open_all(spec({{10, 0}, {20, 0}}));
  EXPECT_TRUE(source.validators().empty()) << "the tag is that of both, the bytes are not";
  finish();
}

TEST_F(RenditionConfirmedTest, NothingIsAskedOfAnOriginThatSaidNothing) {
  make_of({});
  grow_old();
  const auto opened = open();
  EXPECT_TRUE(source.validators().empty());
  finish();
  EXPECT_EQ(outcome(opened), CacheOutcome::kRevalidated);
}

TEST_F(RenditionConfirmedTest, AConfirmationForNobodyComesToNothing) {
  make_of({.etag = "\"a\""});
  grow_old();
  { const auto opened = open(); }
  ASSERT_TRUE(confirm());
  EXPECT_EQ(tier->renewals(), 0);
  EXPECT_EQ(service->figures().in_flight, 0U);
}

TEST_F(RenditionConfirmedTest, AConfirmationMayComeWhenTheServiceHasGone) {
  make_of({.etag = "\"a\""});
  grow_old();
  const auto opened = open();
  service.reset();
  EXPECT_TRUE(confirm());
  EXPECT_EQ(error_of(opened), base::ErrorCode::kShuttingDown);
  EXPECT_EQ(tier->renewals(), 0);
}

}  // namespace
}  // namespace optimux::service
