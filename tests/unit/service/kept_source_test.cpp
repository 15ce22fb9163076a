// What the table of fetches gives out from what is kept, and what it asks origins for.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/fetch_table.hpp"
#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::OriginFreshness;
using source::SourceFacts;
using source::SourceLocator;
using source::SourceValidators;
using std::chrono::seconds;
using testing::ElementsAre;

const OriginFreshness kAskEachTime{.lifetime = seconds(0)};

std::string text_of(const base::Result<FetchedSource>& result) {
  if (!result) return std::string(base::name_of(result.error().code));
  if (result->not_modified) return "not modified: " + result->facts.etag;
  return {reinterpret_cast<const char*>(result->bytes->data()), result->bytes->size()};
}

class KeptSourceTest : public testing::Test {
 protected:
  static SourceLocator place(const std::string& name = "cat.jpg") {
    return {SourceLocator::Kind::kHttp, "http://origin/" + name};
  }
  FetchTable::Ticket join(const std::string& name = "cat.jpg", const SourceValidators& known = {},
                          const std::string& via = "") {
    return table->join(
        place(name), via, [this](const auto& result) { told.push_back(text_of(result)); }, known);
  }
  /// Fetches it once, so that it is kept.
  void have(const std::string& content, const SourceFacts& facts = {}) {
    const auto ticket = join();
    ASSERT_TRUE(source.answer(content, facts));
    told.clear();
  }
  /// The origin says that it is unchanged.
  bool confirm(const SourceFacts& facts = {}) { return source.answer(FetchedSource{nullptr, facts, true}); }

  doubles::ManualSource source;
  std::shared_ptr<SourceCache> cache = std::make_shared<SourceCache>(1 << 20, std::chrono::hours(1));
  std::shared_ptr<FetchTable> table = std::make_shared<FetchTable>(source, cache);
  std::vector<std::string> told;
};

TEST_F(KeptSourceTest, TenSizesOneAfterAnotherFetchOnce) {
  have("picture");
  for (int i = 0; i < 9; ++i) static_cast<void>(join());
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(told, std::vector<std::string>(9, "picture"));
  const auto figures = table->figures();
  EXPECT_EQ(figures.started, 1U);
  EXPECT_EQ(figures.hits, 9U);
  EXPECT_EQ(figures.whole, 1U);
  EXPECT_EQ(figures.confirmed, 0U);
}

TEST_F(KeptSourceTest, WhoCameThroughAnotherServerIsGivenWhatIsKept) {
  have("picture");
  const auto ticket = join("cat.jpg", {}, "1.1 optimux-01234567");
  EXPECT_THAT(told, ElementsAre("picture"));
}

TEST_F(KeptSourceTest, LocalFilesAreReadEachTime) {
  const SourceLocator file{SourceLocator::Kind::kFile, "cat.jpg"};
  for (int i = 0; i < 2; ++i) {
    const auto ticket = table->join(file, "", [](const auto&) {});
    EXPECT_TRUE(source.answer("picture"));
  }
  EXPECT_EQ(source.fetches(), 2);
  EXPECT_EQ(cache->figures().entries, 0U);
}

TEST_F(KeptSourceTest, KeysOfADistantStoreAreKeptLikeAnyOrigins) {
  source.are_files_local = false;
  table = std::make_shared<FetchTable>(source, cache);
  const SourceLocator file{SourceLocator::Kind::kFile, "cat.jpg"};
  const auto ticket = table->join(file, "", [](const auto&) {});
  EXPECT_TRUE(source.answer("picture"));
  static_cast<void>(table->join(file, "", [this](const auto& result) { told.push_back(text_of(result)); }));
  EXPECT_THAT(told, ElementsAre("picture"));
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(KeptSourceTest, AStaleSourceIsGivenOnceItsOriginHasConfirmedIt) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  const auto second = join();
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(source.validators().etag, "\"a\"");
  confirm({.etag = "\"a\""});
  EXPECT_THAT(told, ElementsAre("picture", "picture"));
  EXPECT_EQ(source.fetches(), 2);
  EXPECT_EQ(table->figures().confirmed, 1U);
  EXPECT_EQ(table->figures().joined, 1U);
}

TEST_F(KeptSourceTest, AConfirmationMakesItFreshAgain) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  confirm({.freshness = {.lifetime = seconds(3600)}});
  const auto second = join();
  EXPECT_EQ(source.fetches(), 2);
  EXPECT_THAT(told, ElementsAre("picture", "picture"));
}

TEST_F(KeptSourceTest, AConfirmationThatSaysNothingMoreLeavesTheOldRule) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  confirm();
  const auto second = join();
  EXPECT_EQ(source.validators().etag, "\"a\"") << "asked again, with the tag that is still the right one";
  confirm();
  EXPECT_EQ(source.fetches(), 3);
  EXPECT_THAT(told, ElementsAre("picture", "picture"));
}

TEST_F(KeptSourceTest, AChangedSourceTakesThePlaceOfTheStaleOne) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  source.answer("another", {.etag = "\"b\""});
  const auto second = join();
  EXPECT_THAT(told, ElementsAre("another", "another"));
  EXPECT_EQ(source.fetches(), 2);
  EXPECT_EQ(table->figures().whole, 2U);
}

TEST_F(KeptSourceTest, AStaleSourceWithoutValidatorsIsFetchedAnew) {
  cache->set_lifetime(seconds(0));
  have("picture", {.freshness = {.lifetime = seconds(3600)}});
  cache->insert(place().canonical(), {doubles::bytes_of("picture"), {.freshness = {.lifetime = seconds(1)}}},
                SourceCache::Clock::now() - seconds(10));
  const auto ticket = join();
  EXPECT_TRUE(source.validators().empty());
  source.answer("another");
  EXPECT_THAT(told, ElementsAre("another"));
}

TEST_F(KeptSourceTest, AStaleSourceIsNotGivenWhenItsOriginFails) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  source.fail(base::ErrorCode::kOriginFailed);
  EXPECT_THAT(told, ElementsAre("origin_failed"));
  const auto second = join();
  EXPECT_EQ(source.validators().etag, "\"a\"") << "it is still kept, to be asked about";
  confirm();
  EXPECT_THAT(told, ElementsAre("origin_failed", "picture"));
}

TEST_F(KeptSourceTest, ASourceThatHasGoneIsForgotten) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto first = join();
  source.fail(base::ErrorCode::kNotFound);
  EXPECT_EQ(cache->figures().entries, 0U);
  const auto second = join();
  EXPECT_TRUE(source.validators().empty());
  source.answer();
}

TEST_F(KeptSourceTest, WhatTheOriginForbidsToKeepIsFetchedEachTime) {
  have("secret", {.freshness = {.may_be_kept = false}});
  const auto ticket = join();
  EXPECT_EQ(source.fetches(), 2);
  source.answer();
}

TEST_F(KeptSourceTest, WhoKnowsTheStateThatIsKeptIsGivenItsNameAlone) {
  have("picture", {.etag = "\"a\""});
  const auto same = join("cat.jpg", {.etag = "\"a\""});
  const auto other = join("cat.jpg", {.etag = "\"b\""});
  EXPECT_THAT(told, ElementsAre("not modified: \"a\"", "picture"));
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(KeptSourceTest, WhoKnowsAStateOfWhatIsNotKeptHasItsOriginAsked) {
  const auto ticket = join("cat.jpg", {.etag = "\"a\""});
  EXPECT_EQ(source.validators().etag, "\"a\"");
  confirm({.etag = "\"a\""});
  EXPECT_THAT(told, ElementsAre("not modified: \"a\""));
  EXPECT_EQ(cache->figures().entries, 0U);
}

TEST_F(KeptSourceTest, WhoNeedsTheBytesDoesNotWaitForAMereName) {
  const auto knowing = join("cat.jpg", {.etag = "\"a\""});
  const auto needing = join();
  EXPECT_EQ(source.fetches(), 2);
  confirm({.etag = "\"a\""});
  source.answer("picture");
  EXPECT_THAT(told, ElementsAre("not modified: \"a\"", "picture"));
}

TEST_F(KeptSourceTest, WhoKnowsAStateWaitsForBytesThatAreOnTheirWay) {
  const auto needing = join();
  const auto knowing = join("cat.jpg", {.etag = "\"a\""});
  EXPECT_EQ(source.fetches(), 1);
  source.answer("picture", {.etag = "\"a\""});
  EXPECT_THAT(told, ElementsAre("picture", "picture"));
}

TEST_F(KeptSourceTest, WhoKnowDifferentStatesAskApart) {
  const SourceValidators a{.etag = "\"a\""};
  const SourceValidators dated{.etag = "\"a\"", .last_modified = std::chrono::system_clock::from_time_t(1)};
  const SourceValidators elsewhere{.etag = "\"a\"", .place = "http://origin/end"};
  std::vector<FetchTable::Ticket> tickets;
  for (const auto& known : {a, dated, elsewhere, a}) tickets.push_back(join("cat.jpg", known));
  EXPECT_EQ(source.fetches(), 3);
  while (confirm({.etag = "\"a\""})) {
  }
  EXPECT_EQ(told.size(), 4U);
}

TEST_F(KeptSourceTest, WhatWasForgottenIsFetchedAnew) {
  have("picture");
  table->forget(place().canonical());
  const auto ticket = join();
  EXPECT_EQ(source.fetches(), 2);
  source.answer("another");
  EXPECT_THAT(told, ElementsAre("another"));
}

TEST_F(KeptSourceTest, AFetchUnderWayWhenItsSourceIsForgottenIsNeitherJoinedNorKept) {
  const auto before = join();
  const auto untouched = join("dog.jpg");
  table->forget(place().canonical());
  const auto after = join();
  EXPECT_EQ(source.fetches(), 3);
  source.answer("old");
  EXPECT_THAT(told, ElementsAre("old"));
  EXPECT_EQ(cache->figures().entries, 0U);
  source.answer("dog");
  source.answer("new");
  EXPECT_EQ(cache->figures().entries, 2U);
  static_cast<void>(join());
  EXPECT_THAT(told, ElementsAre("old", "dog", "new", "new"));
}

TEST_F(KeptSourceTest, AllCanBeForgottenAtOnce) {
  have("picture");
  const auto under_way = join("dog.jpg");
  table->forget("");
  EXPECT_EQ(cache->figures().entries, 0U);
  source.answer();
  EXPECT_EQ(cache->figures().entries, 0U);
}

TEST_F(KeptSourceTest, AConfirmationThatComesAfterItsSourceWasForgottenKeepsNothing) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto ticket = join();
  table->forget(place().canonical());
  confirm();
  EXPECT_THAT(told, ElementsAre("picture"));
  EXPECT_EQ(cache->figures().entries, 0U);
}

TEST_F(KeptSourceTest, TheLastToLeaveCancelsAQuestionToTheOriginToo) {
  have("picture", {.etag = "\"a\"", .freshness = kAskEachTime});
  { const auto ticket = join(); }
  EXPECT_TRUE(source.is_cancelled());
  confirm();
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(cache->figures().entries, 1U);
}

bool is_video(std::span<const std::byte> first) {
  return !first.empty() && first[0] == std::byte{'v'};
}

TEST_F(KeptSourceTest, WhatIsKeptIsAskedAboutToo) {
  have("video");
  const auto ask = [this](FetchTable::IsOther is_other, const SourceValidators& known = {}) {
    return table->join(
        place(), "", [this](const auto& result) { told.push_back(text_of(result)); }, known, is_other);
  };
  static_cast<void>(ask(&is_video));
  static_cast<void>(ask(nullptr));
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_THAT(told, ElementsAre("video_source", "video"));
}

TEST_F(KeptSourceTest, WhatIsConfirmedIsAskedAboutToo) {
  have("video", {.etag = "\"a\"", .freshness = kAskEachTime});
  const auto ticket = table->join(
      place(), "", [this](const auto& result) { told.push_back(text_of(result)); }, {}, &is_video);
  ASSERT_TRUE(confirm());
  EXPECT_THAT(told, ElementsAre("video_source"));
}

}  // namespace
}  // namespace optimux::service
