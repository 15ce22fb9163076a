#include "service/tier_stack.hpp"

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/doubles.hpp"
#include "unit/service/fake_tier.hpp"

namespace optimux::service {
namespace {

const std::string kSource = "file:cat.jpg";

std::shared_ptr<Rendition> rendition(const std::string& name) {
  auto made = std::make_shared<Rendition>(name + kSource, kSource.size());
  made->body()->start({"image/png", 1, 1, 1});
  made->body()->append(*doubles::bytes_of(name));
  made->body()->complete();
  made->set_validated_at(std::chrono::steady_clock::now());
  return made;
}

class TierStackTest : public testing::Test {
 protected:
  CacheOutcome find(const std::string& name) {
    std::optional<CacheOutcome> result;
    stack.find(name + kSource, kSource, [&](const std::shared_ptr<Rendition>& found, CacheOutcome outcome) {
      EXPECT_EQ(found != nullptr, outcome != CacheOutcome::kMiss);
      EXPECT_FALSE(result) << "called once";
      result = outcome;
    });
    return *result;
  }

  std::shared_ptr<FakeTier> upper = std::make_shared<FakeTier>(CacheOutcome::kDisk);
  std::shared_ptr<FakeTier> lower = std::make_shared<FakeTier>(CacheOutcome::kStore);
  TierStack stack{{upper, lower}};
};

TEST_F(TierStackTest, WhatIsInsertedIsInAll) {
  stack.insert(rendition("a"));
  EXPECT_EQ(upper->size(), 1U);
  EXPECT_EQ(lower->size(), 1U);
  EXPECT_EQ(find("a"), CacheOutcome::kDisk);
  EXPECT_EQ(find("b"), CacheOutcome::kMiss);
}

TEST_F(TierStackTest, AHitInALowerTierGoesIntoThoseAbove) {
  lower->insert(rendition("a"));
  EXPECT_EQ(find("a"), CacheOutcome::kStore);
  EXPECT_NE(upper->kept("a" + kSource), nullptr);
  EXPECT_EQ(find("a"), CacheOutcome::kDisk);
  EXPECT_EQ(lower->insertions(), 1) << "and not into its own again";
}

TEST_F(TierStackTest, ErasuresReachAllAndEndWithTheLast) {
  for (const char* name : {"a", "b"}) stack.insert(rendition(name));
  lower->hold();
  int ended = 0;
  stack.erase("a" + kSource, kSource, [&](const base::Status& status) {
    EXPECT_TRUE(status);
    ++ended;
  });
  EXPECT_EQ(upper->size(), 1U);
  EXPECT_EQ(ended, 0);
  ASSERT_TRUE(lower->answer());
  EXPECT_EQ(lower->size(), 1U);
  EXPECT_EQ(ended, 1);
  stack.erase_source(kSource, [&](const base::Status&) { ++ended; });
  ASSERT_TRUE(lower->answer());
  EXPECT_EQ(upper->size() + lower->size(), 0U);
  EXPECT_EQ(ended, 2);
}

TEST_F(TierStackTest, WithoutTiersNothingIsFoundAndErasuresEnd) {
  const TierStack none({});
  bool ended = false;
  none.clear([&](const base::Status& status) { ended = status.has_value(); });
  EXPECT_TRUE(ended);
  bool missed = false;
  none.find("key", "",
            [&](const std::shared_ptr<Rendition>&, CacheOutcome outcome) { missed = outcome == CacheOutcome::kMiss; });
  EXPECT_TRUE(missed);
}

TEST(ErasureCount, TellsTheFirstFailure) {
  base::Status told;
  {
    ErasureCount count([&](const base::Status& status) { told = status; });
    count.note({});
    count.note(base::fail(base::ErrorCode::kOverloaded, "first"));
    count.note(base::fail(base::ErrorCode::kInternal, "second"));
    EXPECT_TRUE(told) << "not before the last one is there";
  }
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().detail, "first");
}

}  // namespace
}  // namespace optimux::service
