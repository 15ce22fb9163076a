#include "service/source_cache.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::SourceFacts;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SourceCacheTest : public testing::Test {
 protected:
  static FetchedSource source(std::size_t bytes = 1000, SourceFacts facts = {}) {
    return {doubles::bytes_of(std::string(bytes, 'x')), std::move(facts)};
  }
  static FetchedSource source_for(seconds lifetime) { return source(1000, {.freshness = {.lifetime = lifetime}}); }
  bool is_fresh(const std::string& place, SourceCache::Clock::time_point when) {
    const auto kept = cache.find(place, when);
    return kept && kept->is_fresh;
  }
  bool has(const std::string& place) { return cache.find(place, now).has_value(); }

  SourceCache::Clock::time_point now{};
  SourceCache cache{100'000, seconds(10)};
};

TEST_F(SourceCacheTest, KeepsSourcesByTheirPlace) {
  cache.insert("a", source(10), now);
  cache.insert("b", source(20), now);
  EXPECT_EQ(cache.find("a", now)->source.bytes->size(), 10U);
  EXPECT_EQ(cache.find("b", now)->source.bytes->size(), 20U);
  EXPECT_FALSE(has("c"));
}

TEST_F(SourceCacheTest, ANewSourceTakesThePlaceOfTheOldOne) {
  cache.insert("a", source(10), now);
  cache.insert("a", source(20), now);
  EXPECT_EQ(cache.find("a", now)->source.bytes->size(), 20U);
  EXPECT_EQ(cache.figures().entries, 1U);
  EXPECT_EQ(cache.figures().bytes, SourceCache::cost_of("a", source(20)));
  EXPECT_EQ(cache.figures().evictions, 0U);
}

TEST_F(SourceCacheTest, IsFreshForAsLongAsTheOriginSays) {
  cache.insert("a", source_for(seconds(60)), now);
  EXPECT_TRUE(is_fresh("a", now + milliseconds(59'999)));
  EXPECT_FALSE(is_fresh("a", now + seconds(60)));
  EXPECT_TRUE(has("a")) << "a stale one stays, for its origin to confirm";
}

TEST_F(SourceCacheTest, WhereTheOriginDoesNotSayTheCachesOwnTimeHolds) {
  cache.insert("a", source(), now);
  EXPECT_TRUE(is_fresh("a", now + milliseconds(9'999)));
  EXPECT_FALSE(is_fresh("a", now + seconds(10)));
  cache.set_lifetime(seconds(20));
  EXPECT_TRUE(is_fresh("a", now + seconds(19)));
}

TEST_F(SourceCacheTest, WhatTheOriginForbidsIsNotKeptAndReplacesWhatWas) {
  cache.insert("a", source(), now);
  cache.insert("a", source(10, {.freshness = {.may_be_kept = false}}), now);
  EXPECT_FALSE(has("a"));
  EXPECT_EQ(cache.figures().bytes, 0U);
}

TEST_F(SourceCacheTest, WhatCouldOnlyBeFetchedAgainIsNotKept) {
  cache.insert("a", source_for(seconds(0)), now);
  EXPECT_FALSE(has("a"));
  cache.insert("b", source(10, {.etag = "\"b\"", .freshness = {.lifetime = seconds(0)}}), now);
  EXPECT_TRUE(has("b"));
  EXPECT_FALSE(is_fresh("b", now));
}

TEST_F(SourceCacheTest, TheOneUsedLongestAgoLeavesFirst) {
  for (int i = 0; i < 4; ++i) cache.insert(std::to_string(i), source(20'000), now);
  EXPECT_TRUE(has("0"));
  cache.insert("4", source(20'000), now);
  EXPECT_TRUE(has("0"));
  EXPECT_FALSE(has("1"));
  EXPECT_TRUE(has("4"));
  EXPECT_EQ(cache.figures().evictions, 1U);
  EXPECT_LE(cache.figures().bytes, 100'000U);
}

TEST_F(SourceCacheTest, OneThatWouldPushOutManyOthersIsNotKept) {
  const std::uint64_t overhead = SourceCache::cost_of("a", source(0));
  cache.insert("a", source(25'000 - overhead), now);
  EXPECT_TRUE(has("a"));
  cache.insert("a", source(25'001 - overhead), now);
  EXPECT_FALSE(has("a"));
}

TEST_F(SourceCacheTest, ASmallerCapacityEvictsAtOnceAndNoneKeepsNothing) {
  cache.insert("a", source(20'000), now);
  cache.insert("b", source(20'000), now);
  cache.set_capacity(30'000);
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
  cache.set_capacity(0);
  EXPECT_EQ(cache.figures().entries, 0U);
  cache.insert("c", source(0), now);
  EXPECT_FALSE(has("c"));
}

TEST_F(SourceCacheTest, HalvingDropsThoseUsedLongestAgo) {
  for (const char* place : {"a", "b", "c", "d"}) cache.insert(place, source(20'000), now);
  cache.halve();
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("c"));
  for (int i = 0; i < 3; ++i) cache.halve();
  EXPECT_EQ(cache.figures().bytes, 0U);
}

TEST_F(SourceCacheTest, ForgetsOneOrAll) {
  for (const char* place : {"a", "b", "c"}) cache.insert(place, source(), now);
  cache.erase("a");
  cache.erase("unknown");
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
  cache.clear();
  EXPECT_FALSE(has("b"));
  EXPECT_EQ(cache.figures().bytes, 0U);
  cache.insert("b", source(), now);
  EXPECT_TRUE(has("b"));
}

}  // namespace
}  // namespace optimux::service
