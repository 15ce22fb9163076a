#include "service/byte_lru.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::service {
namespace {

using Value = std::pair<std::string, int>;
struct KeyOf {
  std::string_view operator()(const Value& value) const { return value.first; }
};
using Lru = ByteLru<Value, KeyOf>;

int value_of(const Value* value) {
  return value ? value->second : -1;
}

TEST(ByteLru, TheOneUsedLongestAgoLeavesFirst) {
  Lru lru(40);
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_TRUE(lru.insert({key, 1}, 10).empty());
  EXPECT_NE(lru.find("a"), nullptr);
  EXPECT_NE(lru.peek("b"), nullptr) << "which is no use";
  const Lru::Removed removed = lru.insert({"e", 1}, 10);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed.front().value.first, "b");
  EXPECT_EQ(lru.figures().evictions, 1U);
}

TEST(ByteLru, OneThatIsTooLargeIsNotKeptAndTheOlderOneOfItsTextLeaves) {
  Lru lru(40);
  EXPECT_TRUE(lru.insert({"a", 1}, 10).empty());
  EXPECT_TRUE(lru.has_room_for(10));
  EXPECT_FALSE(lru.has_room_for(11));
  EXPECT_EQ(lru.insert({"a", 2}, 11).size(), 1U);
  EXPECT_EQ(lru.peek("a"), nullptr);
  EXPECT_EQ(lru.figures().bytes, 0U);
  EXPECT_EQ(lru.figures().evictions, 0U);
}

/// Beside a plain list that does the same: whatever is done, they hold the same, and the bytes are those of all.
RC_GTEST_PROP(ByteLru, HoldsWhatAPlainListWouldHold, ()) {
  std::uint64_t capacity = 100;
  Lru lru(capacity);
  std::list<std::pair<Value, std::uint64_t>> plain;  // most recently used first
  const auto total = [&] {
    std::uint64_t bytes = 0;
    for (const auto& entry : plain) bytes += entry.second;
    return bytes;
  };
  const auto shrink = [&](std::uint64_t bytes) {
    while (total() > bytes) plain.pop_back();
  };
  const int steps = *rc::gen::inRange(0, 200);
  for (int step = 0; step < steps; ++step) {
    const std::string key(1, static_cast<char>('a' + *rc::gen::inRange(0, 8)));
    const auto is_same = [&](const auto& entry) { return entry.first.first == key; };
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
      case 1:
      case 2: {
        const auto cost = static_cast<std::uint64_t>(*rc::gen::inRange(0, 40));
        static_cast<void>(lru.insert({key, step}, cost));
        plain.remove_if(is_same);
        if (cost <= capacity / 4) plain.push_front({{key, step}, cost});
        shrink(capacity);
        break;
      }
      case 3: {
        const auto found = std::find_if(plain.begin(), plain.end(), is_same);
        if (found != plain.end()) plain.splice(plain.begin(), plain, found);
        RC_ASSERT(value_of(lru.find(key)) == (found == plain.end() ? -1 : found->first.second));
        break;
      }
      case 4:
        static_cast<void>(lru.erase(key));
        plain.remove_if(is_same);
        break;
      case 5:
        static_cast<void>(lru.erase_if([](const Value& value) { return value.second % 3 == 0; }));
        plain.remove_if([](const auto& entry) { return entry.first.second % 3 == 0; });
        break;
      case 6:
        capacity = static_cast<std::uint64_t>(*rc::gen::inRange(0, 200));
        static_cast<void>(lru.set_capacity(capacity));
        shrink(capacity);
        break;
      default: static_cast<void>(lru.halve()); shrink(total() / 2);
    }
    RC_ASSERT(lru.figures().bytes == total());
    RC_ASSERT(lru.figures().entries == plain.size());
    for (const auto& [value, cost] : plain) RC_ASSERT(value_of(lru.peek(value.first)) == value.second);
  }
  static_cast<void>(lru.clear());
  RC_ASSERT(lru.figures().bytes == 0U);
}

}  // namespace
}  // namespace optimux::service
