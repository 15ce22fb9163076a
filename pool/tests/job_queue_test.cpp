#include "optimux/pool/job_queue.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <list>
#include <random>

namespace optimux::pool {
namespace {

struct Item {
  int number = 0;
  TimePoint deadline = kNever;
};

TimePoint at(int second) {
  return TimePoint{} + std::chrono::seconds(second);
}

using Node = JobNode<Item>;

/// A queue that is handed items, as the hand-off does it.
struct Queue : JobQueue<Node> {
  Node* add(Item item) {
    Node* const node = store.take();
    node->entry = item;
    push(node);
    return node;
  }
  int number_of(Node* node) {
    JobList<Node> done;
    done.push(node);
    store.give_back(std::move(done));
    return node->entry.number;
  }
  JobStore<Node> store;
};

TEST(JobQueue, IsFirstInFirstOut) {
  Queue queue;
  for (int i = 0; i < 5; ++i) queue.add({i});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.number_of(queue.pop()), i);
  EXPECT_TRUE(queue.empty());
}

TEST(JobQueue, AnEntryLeavesFromTheMiddle) {
  Queue queue;
  queue.add({0});
  Node* const node = queue.add({1});
  queue.add({2});
  EXPECT_EQ(queue.number_of(queue.remove(node)), 1);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.number_of(queue.pop()), 0);
  EXPECT_EQ(queue.number_of(queue.pop()), 2);
}

TEST(JobQueue, TakesAWholeListOverBehindWhatItHas) {
  Queue queue;
  queue.add({0});
  JobList<Node> list;
  for (int i = 1; i < 4; ++i) {
    Node* const node = queue.store.take();
    node->entry = {i};
    list.push(node);
  }
  queue.push_all(std::move(list));
  queue.push_all(JobList<Node>());
  queue.add({4});
  EXPECT_EQ(queue.size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.number_of(queue.pop()), i);
}

TEST(JobQueue, GivesExpiredEntriesInTheOrderOfTheirDeadlines) {
  Queue queue;
  queue.add({0, at(30)});
  queue.add({1, at(10)});
  queue.add({2});
  queue.add({3, at(20)});
  EXPECT_EQ(queue.earliest_deadline(), at(10));
  EXPECT_EQ(queue.pop_expired(at(9)), nullptr);
  EXPECT_EQ(queue.number_of(queue.pop_expired(at(25))), 1);
  EXPECT_EQ(queue.number_of(queue.pop_expired(at(25))), 3);
  EXPECT_EQ(queue.pop_expired(at(25)), nullptr);
  EXPECT_EQ(queue.number_of(queue.pop()), 0);
  EXPECT_EQ(queue.earliest_deadline(), kNever);
}

TEST(JobStore, GivesOutFirstWhatCameBackLast) {
  JobStore<Node> store;
  Node* const first = store.take();
  Node* const second = store.take();
  EXPECT_NE(first, second);
  for (Node* const node : {first, second}) {
    JobList<Node> back;
    back.push(node);
    store.give_back(std::move(back));
  }
  EXPECT_EQ(store.take(), second);
  EXPECT_EQ(store.take(), first);
}

// Against a list that does the same the slow way, over a long random run.
TEST(JobQueue, BehavesLikeAList) {
  struct Known {
    Node* node;
    Item item;
  };
  std::mt19937 random(7);
  Queue queue;
  std::list<Known> model;
  const auto earlier = [](const Known& a, const Known& b) { return a.item.deadline < b.item.deadline; };
  for (int i = 0; i < 20'000; ++i) {
    const unsigned action = random() % 8;
    if (action < 4 || model.empty()) {
      const Item item{i, random() % 2 == 0 ? kNever : at(static_cast<int>(random() % 100'000))};
      model.push_back({queue.add(item), item});
    } else if (action < 6) {
      ASSERT_EQ(queue.number_of(queue.pop()), model.front().item.number);
      model.pop_front();
    } else if (action < 7) {
      const auto victim = std::next(model.begin(), random() % model.size());
      ASSERT_EQ(queue.number_of(queue.remove(victim->node)), victim->item.number);
      model.erase(victim);
    } else {
      const auto first = std::min_element(model.begin(), model.end(), earlier);
      ASSERT_EQ(queue.earliest_deadline(), first->item.deadline);
      Node* const expired = queue.pop_expired(at(50'000));
      ASSERT_EQ(expired != nullptr, first->item.deadline <= at(50'000));
      if (expired == nullptr) continue;
      const int number = queue.number_of(expired);
      const auto same =
          std::find_if(model.begin(), model.end(), [&](const Known& known) { return known.item.number == number; });
      ASSERT_EQ(same->item.deadline, first->item.deadline);
      model.erase(same);
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

}  // namespace
}  // namespace optimux::pool
