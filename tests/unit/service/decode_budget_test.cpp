#include "service/decode_budget.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DecodeBudgetTest : public testing::Test {
 protected:
  void TearDown() override {
    tickets.clear();  // first, so that nobody is granted what the leases give back
    leases.clear();
    EXPECT_EQ(budget->in_use(), 0U);
    EXPECT_EQ(budget->waiting(), 0U);
  }
  /// Acquires and keeps what comes of it under `name`.
  void acquire(const std::string& name, std::uint64_t bytes) {
    auto place = budget->acquire(bytes, [this, name](auto lease) { granted(name, std::move(lease)); });
    if (!place) {
      refused.push_back(name);
    } else if (auto* lease = std::get_if<DecodeBudget::Lease>(&*place)) {
      granted(name, std::move(*lease));
    } else {
      tickets.emplace_back(name, std::get<DecodeBudget::Ticket>(std::move(*place)));
    }
  }
  void granted(const std::string& name, base::Result<DecodeBudget::Lease> lease) {
    if (!lease) {
      refused.push_back(name);
      return;
    }
    order.push_back(name);
    leases.emplace_back(name, std::move(*lease));
  }
  template <class Held>
  static void drop(std::vector<std::pair<std::string, Held>>& held, const std::string& name) {
    for (auto& [holder, what] : held) {
      if (holder != name) continue;
      const Held dropped = std::move(what);
      return;
    }
    FAIL() << name << " holds nothing";
  }
  void release(const std::string& name) { drop(leases, name); }
  void leave(const std::string& name) { drop(tickets, name); }

  std::shared_ptr<DecodeBudget> budget = std::make_shared<DecodeBudget>(100);
  std::vector<std::string> order, refused;
  std::vector<std::pair<std::string, DecodeBudget::Ticket>> tickets;
  std::vector<std::pair<std::string, DecodeBudget::Lease>> leases = [] {
    std::vector<std::pair<std::string, DecodeBudget::Lease>> reserved;
    reserved.reserve(10'000);  // callbacks add while others are being dropped
    return reserved;
  }();
};

TEST_F(DecodeBudgetTest, GrantsUntilItIsUsedUp) {
  acquire("a", 60);
  acquire("b", 40);
  acquire("c", 1);
  EXPECT_THAT(order, ElementsAre("a", "b"));
  EXPECT_EQ(budget->in_use(), 100U);
  EXPECT_EQ(budget->waiting(), 1U);
  release("b");
  EXPECT_THAT(order, ElementsAre("a", "b", "c"));
  EXPECT_EQ(budget->in_use(), 61U);
}

TEST_F(DecodeBudgetTest, ServesInTheOrderOfArrival) {
  acquire("a", 90);
  acquire("large", 100);
  acquire("small", 5);
  EXPECT_THAT(order, ElementsAre("a")) << "the small one fits, but the large one came first";
  release("a");
  EXPECT_THAT(order, ElementsAre("a", "large"));
  release("large");
  EXPECT_THAT(order, ElementsAre("a", "large", "small"));
}

TEST_F(DecodeBudgetTest, OneReleaseServesAllThatFit) {
  acquire("a", 100);
  for (const char* name : {"b", "c", "d", "e"}) acquire(name, 30);
  release("a");
  EXPECT_THAT(order, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(budget->waiting(), 1U);
}

TEST_F(DecodeBudgetTest, MoreThanTheWholeIsRefusedByName) {
  const auto place = budget->acquire(101, [](auto) { FAIL(); });
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code, base::ErrorCode::kLimitExceeded);
  EXPECT_THAT(place.error().detail, HasSubstr("decoded_bytes"));
  EXPECT_EQ(budget->in_use(), 0U);
}

TEST_F(DecodeBudgetTest, WhoLeavesTheLineMakesRoomForTheNext) {
  acquire("a", 90);
  acquire("large", 100);
  acquire("small", 5);
  leave("large");
  EXPECT_THAT(order, ElementsAre("a", "small"));
  leave("small");  // served already
  EXPECT_EQ(budget->in_use(), 95U);
}

TEST_F(DecodeBudgetTest, ALeaseThatNobodyTakesGivesItsMemoryOn) {
  acquire("a", 100);
  auto place = budget->acquire(100, [](auto) {});
  acquire("c", 100);
  release("a");
  EXPECT_THAT(order, ElementsAre("a", "c"));
}

TEST_F(DecodeBudgetTest, ALongLineOfRefusersDoesNotGrowTheStack) {
  acquire("a", 100);
  std::vector<DecodeBudget::Place> places;
  for (int i = 0; i < 100'000; ++i) places.push_back(*budget->acquire(100, [](auto) {}));
  release("a");
  EXPECT_EQ(budget->waiting(), 0U);
  EXPECT_EQ(budget->in_use(), 0U);
}

TEST_F(DecodeBudgetTest, ASmallerTotalRefusesWhoCanNeverBeServed) {
  acquire("a", 50);
  acquire("b", 80);
  acquire("c", 30);
  budget->set_total(60);
  EXPECT_THAT(refused, ElementsAre("b"));
  EXPECT_EQ(budget->waiting(), 1U);
  release("a");
  EXPECT_THAT(order, ElementsAre("a", "c"));
}

TEST_F(DecodeBudgetTest, ALargerTotalServesAtOnce) {
  acquire("a", 100);
  acquire("b", 80);
  budget->set_total(200);
  EXPECT_THAT(order, ElementsAre("a", "b"));
}

TEST_F(DecodeBudgetTest, NothingFitsWhileMoreIsInUseThanThereIs) {
  acquire("a", 100);
  budget->set_total(50);
  acquire("b", 1);
  EXPECT_THAT(order, ElementsAre("a"));
  release("a");
  EXPECT_THAT(order, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace optimux::service
