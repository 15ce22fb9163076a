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

TEST(JobQueue, IsFirstInFirstOut) {
  JobQueue<Item> queue;
  for (int i = 0; i < 5; ++i) queue.push({i});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.pop().number, i);
  EXPECT_TRUE(queue.empty());
}

TEST(JobQueue, AnEntryLeavesFromTheMiddle) {
  JobQueue<Item> queue;
  queue.push({0});
  const auto place = queue.push({1});
  queue.push({2});
  EXPECT_EQ(queue.remove(place).number, 1);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop().number, 0);
  EXPECT_EQ(queue.pop().number, 2);
}

TEST(JobQueue, GivesExpiredEntriesInTheOrderOfTheirDeadlines) {
  JobQueue<Item> queue;
  queue.push({0, at(30)});
  queue.push({1, at(10)});
  queue.push({2});
  queue.push({3, at(20)});
  EXPECT_EQ(queue.earliest_deadline(), at(10));
  EXPECT_FALSE(queue.pop_expired(at(9)));
  EXPECT_EQ(queue.pop_expired(at(25))->number, 1);
  EXPECT_EQ(queue.pop_expired(at(25))->number, 3);
  EXPECT_FALSE(queue.pop_expired(at(25)));
  EXPECT_EQ(queue.pop().number, 0);
  EXPECT_EQ(queue.earliest_deadline(), kNever);
}

// Against a list that does the same the slow way, over a long random run.
TEST(JobQueue, BehavesLikeAList) {
  struct Known {
    JobQueue<Item>::Place place;
    Item item;
  };
  std::mt19937 random(7);
  JobQueue<Item> queue;
  std::list<Known> model;
  const auto earlier = [](const Known& a, const Known& b) { return a.item.deadline < b.item.deadline; };
  for (int i = 0; i < 20'000; ++i) {
    const unsigned action = random() % 8;
    if (action < 4 || model.empty()) {
      const Item item{i, random() % 2 == 0 ? kNever : at(static_cast<int>(random() % 100'000))};
      model.push_back({queue.push(Item(item)), item});
    } else if (action < 6) {
      ASSERT_EQ(queue.pop().number, model.front().item.number);
      model.pop_front();
    } else if (action < 7) {
      const auto victim = std::next(model.begin(), random() % model.size());
      ASSERT_EQ(queue.remove(victim->place).number, victim->item.number);
      model.erase(victim);
    } else {
      const auto first = std::min_element(model.begin(), model.end(), earlier);
      ASSERT_EQ(queue.earliest_deadline(), first->item.deadline);
      const auto expired = queue.pop_expired(at(50'000));
      ASSERT_EQ(expired.has_value(), first->item.deadline <= at(50'000));
      if (!expired) continue;
      const auto same = std::find_if(model.begin(), model.end(),
                                     [&](const Known& known) { return known.item.number == expired->number; });
      ASSERT_EQ(same->item.deadline, first->item.deadline);
      model.erase(same);
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

}  // namespace
}  // namespace optimux::pool
