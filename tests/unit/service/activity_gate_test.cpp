#include "service/activity_gate.hpp"

#include <atomic>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

TEST(ActivityGate, DoesNotWaitForNothing) {
  const auto gate = std::make_shared<ActivityGate>();
  gate->wait_until_empty();
  { const auto pass = gate->enter(); }
  gate->wait_until_empty();
}

TEST(ActivityGate, WaitsForTheLastCopyOfEveryPass) {
  const auto gate = std::make_shared<ActivityGate>();
  std::atomic<int> ended = 0;
  auto first = gate->enter();
  auto second = gate->enter();
  std::jthread worker([&ended, copies = std::pair(std::move(first), second), original = std::move(second)]() mutable {
    original = nullptr;
    ++ended;
    copies.first = nullptr;
    ++ended;
    copies.second = nullptr;
  });
  gate->wait_until_empty();
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace optimux::service
