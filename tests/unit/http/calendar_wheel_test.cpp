#include "http/calendar_wheel.hpp"

#include <cstdlib>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "http/dary_heap.hpp"

namespace optimux::http {
namespace {

const bool kIsSeeded = setenv("RC_PARAMS", "seed=1 max_success=200", 0) == 0;
constexpr std::uint64_t kSlot = CalendarWheel::kSlotWidth;

template <typename Queue>
std::vector<int> drain(Queue& queue) {
  std::vector<int> order;
  for (; !queue.empty(); queue.erase(queue.front())) order.push_back(queue.front());
  return order;
}

TEST(CalendarWheel, OrdersBySlotAndWithinOneByArrival) {
  CalendarWheel wheel;
  wheel.insert(1, 7 * kSlot);
  wheel.insert(2, 3 * kSlot + 9);
  wheel.insert(3, 3 * kSlot + 1);
  wheel.insert(4, 4'095 * kSlot);
  EXPECT_EQ(drain(wheel), (std::vector<int>{2, 3, 1, 4}));
}

TEST(CalendarWheel, TakesOutAnyItem) {
  CalendarWheel wheel;
  for (std::uint16_t item = 0; item < 5; ++item) wheel.insert(item, 2 * kSlot);
  wheel.erase(0);
  wheel.erase(4);
  wheel.erase(2);
  EXPECT_EQ(drain(wheel), (std::vector<int>{1, 3}));
  wheel.insert(2, kSlot);
  EXPECT_EQ(wheel.front(), 2);
}

TEST(CalendarWheel, TimeMovesOnlyWithTurnsOfTheFirst) {
  CalendarWheel wheel;
  wheel.insert(1, 10 * kSlot);
  wheel.insert(2, 20 * kSlot);
  wheel.requeue(2, 30 * kSlot);  // out of turn
  wheel.insert(3, 5 * kSlot);
  EXPECT_EQ(wheel.front(), 3) << "the time is still 0";
  wheel.requeue(3, 25 * kSlot);
  wheel.requeue(1, 40 * kSlot);  // now it is 10
  wheel.insert(4, 1 * kSlot);
  EXPECT_EQ(drain(wheel), (std::vector<int>{4, 3, 2, 1}));
}

TEST(CalendarWheel, TakesWhatIsBeyondItsReachAsLast) {
  CalendarWheel wheel;
  wheel.insert(1, 100'000 * kSlot);
  wheel.insert(2, 4'094 * kSlot);
  wheel.insert(3, std::uint64_t{1} << 62);
  EXPECT_EQ(drain(wheel), (std::vector<int>{2, 1, 3}));
}

TEST(CalendarWheel, GoesOnOverTheEndOf64Bits) {
  CalendarWheel wheel;
  wheel.begin_at(~std::uint64_t{0} - 2 * kSlot);
  wheel.insert(1, 5 * kSlot);
  wheel.insert(2, ~std::uint64_t{0} - kSlot);
  EXPECT_EQ(wheel.front(), 2);
  wheel.requeue(2, 6 * kSlot);
  EXPECT_EQ(wheel.front(), 1);
}

// Turns as fair queueing has them: each item is due again within 2,048 slots.
RC_GTEST_PROP(CalendarWheelLaws, IsExactToASlot, ()) {
  CalendarWheel wheel;
  std::map<int, std::uint64_t> keys;
  std::uint64_t now = *rc::gen::arbitrary<std::uint64_t>() & ~(kSlot - 1);
  wheel.begin_at(now);
  const int items = *rc::gen::inRange(1, 60);
  const auto later = [&now] { return now + *rc::gen::inRange<std::uint64_t>(0, 2'048 * kSlot); };
  for (int item = 0; item < items; ++item) wheel.insert(static_cast<std::uint16_t>(item), keys[item] = later());
  for (int turn = 0; turn < 200; ++turn) {
    const std::uint16_t first = wheel.front();
    for (const auto& [item, key] : keys)
      RC_ASSERT(static_cast<std::int64_t>(keys[first] - key) < static_cast<std::int64_t>(kSlot));
    now = keys[first];
    wheel.requeue(first, keys[first] = later());
    const auto other = static_cast<std::uint16_t>(*rc::gen::inRange(0, items));
    wheel.erase(other);
    wheel.insert(other, keys[other] = later() + kSlot);
  }
}

// Where no two keys share a slot there is but one order.
RC_GTEST_PROP(CalendarWheelLaws, IsTheOrderOfTheHeapWhereSlotsDiffer, ()) {
  const auto slots = *rc::gen::unique<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 4'096));
  CalendarWheel wheel;
  DaryHeap heap;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    wheel.insert(static_cast<std::uint16_t>(i), slots[i] * kSlot);
    heap.insert(static_cast<std::uint16_t>(i), slots[i] * kSlot);
  }
  RC_ASSERT(drain(wheel) == drain(heap));
}

}  // namespace
}  // namespace optimux::http
