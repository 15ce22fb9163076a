#include "service/disk_tier.hpp"

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/disk_store_fixture.hpp"
#include "unit/service/doubles.hpp"
#include "unit/source/manual_runner.hpp"

namespace optimux::service {
namespace {

using std::chrono::steady_clock;

const std::string kSource = "file:cat.jpg";

class DiskTierTest : public DiskStoreFixture {
 protected:
  static std::shared_ptr<Rendition> rendition(const std::string& name, std::size_t size = 1000) {
    auto made = std::make_shared<Rendition>(name + ";" + kSource, kSource.size());
    made->set_facts({"\"" + name + "\"", "", {}, "", "", "fingerprint"});
    made->set_validated_at(steady_clock::now() - std::chrono::seconds(90));
    made->body()->start({"image/png", 1, 1, 1});
    made->body()->append(*doubles::bytes_of(std::string(size, 'x')));
    made->body()->complete();
    return made;
  }
  /// Null if it is not there.
  std::shared_ptr<Rendition> find(DiskTier& tier, const std::string& name) {
    std::optional<std::shared_ptr<Rendition>> result;
    tier.find(name + ";" + kSource, kSource, [&](std::shared_ptr<Rendition> found) { result = std::move(found); });
    runner.run_all();
    EXPECT_TRUE(result) << "called";
    return result.value_or(nullptr);
  }
  std::shared_ptr<DiskStore> store() { return make(); }

  source::ManualRunner runner;
};

TEST_F(DiskTierTest, GivesBackWhatWasInsertedAlsoAfterARestart) {
  {
    DiskTier tier(store(), runner.runner());
    EXPECT_EQ(find(tier, "a"), nullptr);
    tier.insert(rendition("a"));
    EXPECT_EQ(files().size(), 0U) << "nothing is written in the caller's thread";
    runner.run_all();
  }
  DiskTier tier(store(), runner.runner());
  const auto found = find(tier, "a");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->facts(), rendition("a")->facts());
  EXPECT_EQ(found->source(), kSource);
  EXPECT_EQ(found->body()->size(), 1000U);
  EXPECT_NEAR(std::chrono::duration<double>(steady_clock::now() - *found->validated_at()).count(), 90, 20);
  EXPECT_EQ(tier.figures().hits, 1U);
  EXPECT_EQ(tier.figures().entries, 1U);
}

TEST_F(DiskTierTest, ARunnerThatRefusesIsAMissAndNothingIsKept) {
  DiskTier tier(store(), runner.runner());
  tier.insert(rendition("a"));
  runner.run_all();
  runner.refuse();
  EXPECT_EQ(find(tier, "a"), nullptr);
  tier.insert(rendition("b"));
  EXPECT_EQ(tier.figures().skipped, 1U);
  base::Status erased;
  tier.clear([&](const base::Status& status) { erased = status; });
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.error().code, base::ErrorCode::kOverloaded);
}

TEST_F(DiskTierTest, WhatWaitsToBeWrittenIsBounded) {
  DiskTier tier(store(), runner.runner());
  constexpr std::size_t kLarge = DiskTier::kMaxPendingBytes * 3 / 4;
  tier.insert(rendition("a", kLarge));
  tier.insert(rendition("b", kLarge));
  EXPECT_EQ(tier.figures().skipped, 1U);
  runner.run_all();
  tier.insert(rendition("c"));
  runner.run_all();
  EXPECT_NE(find(tier, "c"), nullptr) << "there is room again";
}

TEST_F(DiskTierTest, RenewedOneIsYoung) {
  DiskTier tier(store(), runner.runner());
  const auto kept = rendition("a");
  tier.insert(kept);
  runner.run_all();
  kept->set_validated_at(steady_clock::now());
  tier.renew(kept);
  runner.run_all();
  EXPECT_LT(steady_clock::now() - *find(tier, "a")->validated_at(), std::chrono::seconds(60));
}

TEST_F(DiskTierTest, ErasureHoldsForWhatIsStillToBeWritten) {
  DiskTier tier(store(), runner.runner());
  const auto pending = rendition("a");
  tier.insert(pending);
  bool ended = false;
  tier.erase_source(kSource, [&](const base::Status& status) { ended = status.has_value(); });
  EXPECT_FALSE(ended);
  EXPECT_TRUE(pending->is_revoked());
  runner.run_all();
  EXPECT_TRUE(ended);
  EXPECT_EQ(find(tier, "a"), nullptr);
  EXPECT_EQ(files().size(), 0U);
}

TEST_F(DiskTierTest, ErasesOneThoseOfASourceAndAll) {
  DiskTier tier(store(), runner.runner());
  for (const char* name : {"a", "b", "c"}) tier.insert(rendition(name));
  auto other = std::make_shared<Rendition>("x;file:dog.jpg", 12);
  other->set_validated_at(steady_clock::now());
  other->body()->start({"image/png", 1, 1, 1});
  other->body()->complete();
  tier.insert(other);
  runner.run_all();
  int ended = 0;
  const auto count = [&](const base::Status& status) { ended += status ? 1 : 0; };
  tier.erase("a;" + kSource, kSource, count);
  runner.run_all();
  EXPECT_EQ(files().size(), 3U);
  tier.erase_source(kSource, count);
  runner.run_all();
  EXPECT_EQ(files().size(), 1U);
  tier.clear(count);
  runner.run_all();
  EXPECT_EQ(files().size(), 0U);
  EXPECT_EQ(ended, 3);
}

TEST_F(DiskTierTest, ErasureThatFailsSaysSo) {
  DiskTier tier(store(), runner.runner());
  tier.insert(rendition("a"));
  runner.run_all();
  base::Status erased;
  tier.erase_source(kSource, [&](const base::Status& status) { erased = status; });
  calls.fail(1, EACCES, true);
  runner.run_all();
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.error().code, base::ErrorCode::kInternal);
}

TEST_F(DiskTierTest, RecordOfAnotherGenerationIsAMissAndGone) {
  const auto disk = store();
  const std::string key = "a;" + kSource;
  ASSERT_TRUE(disk->insert({key, kSource}, "no record", {}, std::chrono::system_clock::now()));
  DiskTier tier(disk, runner.runner());
  EXPECT_EQ(find(tier, "a"), nullptr);
  EXPECT_EQ(files().size(), 0U);
}

}  // namespace
}  // namespace optimux::service
