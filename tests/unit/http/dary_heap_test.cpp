#include "http/dary_heap.hpp"

#include <cstdlib>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace optimux::http {
namespace {

const bool kIsSeeded = setenv("RC_PARAMS", "seed=1 max_success=200", 0) == 0;

TEST(DaryHeap, OrdersByKeyAndEqualOnesByArrival) {
  DaryHeap heap;
  heap.insert(1, 30);
  heap.insert(2, 10);
  heap.insert(3, 20);
  heap.insert(4, 10);
  std::vector<int> order;
  for (; !heap.empty(); heap.erase(heap.front())) order.push_back(heap.front());
  EXPECT_EQ(order, (std::vector<int>{2, 4, 3, 1}));
}

TEST(DaryHeap, GoesOnOverTheEndOf64Bits) {
  DaryHeap heap;
  heap.insert(1, 5);
  heap.insert(2, ~std::uint64_t{0} - 5);
  EXPECT_EQ(heap.front(), 2);
}

RC_GTEST_PROP(DaryHeapLaws, IsASortedMap, ()) {
  using Key = std::pair<std::uint64_t, int>;  // the key, and the arrival
  DaryHeap heap;
  std::map<Key, std::uint16_t> reference;
  std::map<std::uint16_t, Key> keys;
  const int operations = *rc::gen::inRange(1, 300);
  for (int arrival = 0; arrival < operations; ++arrival) {
    const auto item = static_cast<std::uint16_t>(*rc::gen::inRange(0, 40));
    const Key key{*rc::gen::inRange<std::uint64_t>(0, 20), arrival};
    const bool is_in = keys.count(item) != 0;
    const bool stays = *rc::gen::arbitrary<bool>();
    if (is_in) reference.erase(keys[item]);
    if (!is_in) heap.insert(item, key.first);
    if (is_in && stays) heap.requeue(item, key.first);
    if (is_in && !stays) heap.erase(item);
    if (is_in && !stays) {
      keys.erase(item);
    } else {
      reference[keys[item] = key] = item;
    }
    RC_ASSERT(heap.empty() == reference.empty());
    if (!reference.empty()) RC_ASSERT(heap.front() == reference.begin()->second);
  }
}

}  // namespace
}  // namespace optimux::http
