// What the table of fetches finds on disk, writes there and deletes there.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/fetch_table.hpp"
#include "unit/service/disk_store_fixture.hpp"
#include "unit/service/doubles.hpp"
#include "unit/source/manual_runner.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::SourceFacts;
using source::SourceLocator;
using source::SourceValidators;
using std::chrono::seconds;
using testing::ElementsAre;

const SourceFacts kTagged{.etag = "\"a\""};

std::string text_of(const base::Result<FetchedSource>& result) {
  if (!result) return std::string(base::name_of(result.error().code));
  if (result->not_modified) return "not modified: " + result->facts.etag;
  return {reinterpret_cast<const char*>(result->bytes->data()), result->bytes->size()};
}

class KeptSourceOnDiskTest : public DiskStoreFixture {
 protected:
  KeptSourceOnDiskTest() { restart(); }

  /// As a process that has just been started: with nothing in memory.
  void restart(std::chrono::milliseconds lifetime = std::chrono::hours(1)) {
    cache = std::make_shared<SourceCache>(1 << 20, lifetime);
    table = std::make_shared<FetchTable>(source, cache, std::make_shared<SourceDisk>(make(), runner.runner()),
                                         [this](std::function<void()> task) { impatience = std::move(task); });
    told.clear();
    runner.run_all();
  }
  FetchTable::Ticket join(const SourceValidators& known = {}) {
    return table->join(
        place, "", [this](const auto& result) { told.push_back(text_of(result)); }, known);
  }
  /// Lets the disk do its work.
  void settle() {
    while (runner.run_all() > 0) {
    }
  }
  /// Fetches it once and starts anew, so that it is on disk alone.
  void have_on_disk(const std::string& content, const SourceFacts& facts = kTagged,
                    std::chrono::milliseconds lifetime = std::chrono::hours(1)) {
    const auto ticket = join();
    settle();
    ASSERT_TRUE(source.answer(content, facts));
    settle();
    restart(lifetime);
  }
  bool confirm(const SourceFacts& facts = {}) { return source.answer(FetchedSource{nullptr, facts, true}); }

  const SourceLocator place{SourceLocator::Kind::kHttp, "http://origin/cat.jpg"};
  source::ManualRunner runner;
  doubles::ManualSource source;
  std::shared_ptr<SourceCache> cache;
  std::shared_ptr<FetchTable> table;
  std::vector<std::string> told;
  std::function<void()> impatience;  ///< What is done when the disk has had its time.
};

TEST_F(KeptSourceOnDiskTest, ASourceOutlastsTheProcess) {
  have_on_disk("picture");
  const auto first = join();
  const auto second = join();
  EXPECT_TRUE(told.empty()) << "the disk is not read in the caller's thread";
  settle();
  EXPECT_THAT(told, ElementsAre("picture", "picture"));
  static_cast<void>(join());
  EXPECT_THAT(told, ElementsAre("picture", "picture", "picture")) << "now it is in memory too";
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_EQ(table->figures().disk_hits, 1U);
  EXPECT_EQ(table->figures().hits, 2U);
}

TEST_F(KeptSourceOnDiskTest, AStaleOneIsConfirmedByItsOriginAndFreshAgainOnDisk) {
  have_on_disk("picture", kTagged, seconds(0));
  const auto first = join();
  settle();
  EXPECT_EQ(source.validators().etag, "\"a\"");
  confirm({.freshness = {.lifetime = seconds(3600)}});
  EXPECT_THAT(told, ElementsAre("picture"));
  settle();
  restart(seconds(0));
  const auto second = join();
  settle();
  EXPECT_THAT(told, ElementsAre("picture"));
  EXPECT_EQ(source.fetches(), 2);
}

TEST_F(KeptSourceOnDiskTest, AStaleOneWithoutValidatorsIsFetchedAnew) {
  have_on_disk("picture", {}, seconds(0));
  const auto ticket = join();
  settle();
  EXPECT_TRUE(source.validators().empty());
  source.answer("another");
  EXPECT_THAT(told, ElementsAre("another"));
}

TEST_F(KeptSourceOnDiskTest, WhoKnowsTheStateOnDiskIsGivenItsNameAlone) {
  have_on_disk("picture");
  const auto ticket = join({.etag = "\"a\""});
  settle();
  EXPECT_THAT(told, ElementsAre("not modified: \"a\""));
}

TEST_F(KeptSourceOnDiskTest, WhatIsForgottenIsForgottenOnDisk) {
  have_on_disk("picture");
  bool is_erased = false;
  table->forget(place.canonical(), [&](const base::Status& status) { is_erased = status.has_value(); });
  EXPECT_FALSE(is_erased);
  settle();
  EXPECT_TRUE(is_erased);
  EXPECT_TRUE(files().empty());
  const auto ticket = join();
  settle();
  EXPECT_EQ(source.fetches(), 2);
  source.answer();
}

TEST_F(KeptSourceOnDiskTest, WhoFindsItOnDiskBeforeItIsDeletedThereDoesNotKeepIt) {
  have_on_disk("picture");
  const auto before = join();
  table->forget(place.canonical());
  settle();
  EXPECT_EQ(cache->figures().entries, 0U);
  EXPECT_EQ(source.fetches(), 2) << "it is fetched for who asked before";
  source.answer("another");
  settle();
  EXPECT_TRUE(files().empty()) << "that fetch was begun before";
}

TEST_F(KeptSourceOnDiskTest, ASourceThatHasGoneIsDeletedOnDisk) {
  have_on_disk("picture", kTagged, seconds(0));
  const auto ticket = join();
  settle();
  source.fail(base::ErrorCode::kNotFound);
  settle();
  EXPECT_TRUE(files().empty());
}

TEST_F(KeptSourceOnDiskTest, WhoLeavesWhileTheDiskIsReadHasNothingFetched) {
  have_on_disk("picture", kTagged, seconds(0));
  { const auto ticket = join(); }
  settle();
  EXPECT_EQ(source.fetches(), 1);
  EXPECT_TRUE(told.empty());
}

TEST_F(KeptSourceOnDiskTest, ARunnerThatRefusesLeavesTheOriginToAsk) {
  have_on_disk("picture");
  runner.refuse();
  const auto ticket = join();
  EXPECT_EQ(source.fetches(), 2);
  source.answer("picture");
  EXPECT_THAT(told, ElementsAre("picture"));
}

TEST_F(KeptSourceOnDiskTest, ADiskThatTakesTooLongLeavesTheOriginToAsk) {
  have_on_disk("picture");
  const auto ticket = join();
  impatience();
  EXPECT_EQ(source.fetches(), 2);
  settle();
  EXPECT_TRUE(told.empty()) << "what the disk says now comes too late";
  source.answer("another");
  EXPECT_THAT(told, ElementsAre("another"));
}

TEST_F(KeptSourceOnDiskTest, TheEndOfPatienceAfterTheAnswerChangesNothing) {
  have_on_disk("picture");
  const auto ticket = join();
  settle();
  impatience();
  EXPECT_THAT(told, ElementsAre("picture"));
  EXPECT_EQ(source.fetches(), 1);
}

TEST_F(KeptSourceOnDiskTest, LocalFilesAreNotLookedForThere) {
  const auto ticket = table->join({SourceLocator::Kind::kFile, "cat.jpg"}, "", [](const auto&) {});
  EXPECT_EQ(source.fetches(), 1);
  source.answer();
  EXPECT_EQ(runner.run_all(), 0U);
}

TEST_F(KeptSourceOnDiskTest, AfterItsEndNothingIsAskedOfTheSource) {
  have_on_disk("picture", kTagged, seconds(0));
  const auto waiting = join();
  table->close();
  settle();
  EXPECT_THAT(told, ElementsAre("shutting_down"));
  EXPECT_EQ(source.fetches(), 1);
  table.reset();
  settle();
}

}  // namespace
}  // namespace optimux::service
