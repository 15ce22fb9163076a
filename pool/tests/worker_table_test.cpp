#include "optimux/pool/detail/worker_table.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace optimux::pool::detail {
namespace {

struct Numbered {
  explicit Numbered(WorkerIndex number) : number_(number) {}
  [[nodiscard]] WorkerIndex index() const { return number_; }
  WorkerIndex number_;
};

TEST(WorkerTable, FindsWhatIsInItAndNothingElse) {
  WorkerTable<Numbered> table;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.remove(0), nullptr);
  table.insert(std::make_unique<Numbered>(3));
  ASSERT_NE(table.find(3), nullptr);
  EXPECT_EQ(table.find(3)->index(), 3U);
  EXPECT_EQ(table.find(11), nullptr);
  EXPECT_EQ(table.remove(3)->index(), 3U);
  EXPECT_EQ(table.find(3), nullptr);
}

// Workers come in order and leave in any, with numbers that collide, next to a set that does the same.
TEST(WorkerTable, AgreesWithASet) {
  std::mt19937_64 random(1);
  WorkerTable<Numbered> table;
  std::set<WorkerIndex> reference;
  WorkerIndex next = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 2 == 0 || reference.empty()) {
      next += 1 + random() % 40;
      table.insert(std::make_unique<Numbered>(next));
      reference.insert(next);
    } else {
      const auto at = std::next(reference.begin(), static_cast<std::ptrdiff_t>(random() % reference.size()));
      const std::unique_ptr<Numbered> removed = table.remove(*at);
      ASSERT_NE(removed, nullptr);
      ASSERT_EQ(removed->index(), *at);
      ASSERT_EQ(table.remove(*at), nullptr);
      reference.erase(at);
    }
    ASSERT_EQ(table.size(), reference.size());
    if (i % 1'000 == 0) {
      for (WorkerIndex index = 0; index <= next; ++index) {
        ASSERT_EQ(table.find(index) != nullptr, reference.count(index) == 1) << index;
      }
    }
  }
}

}  // namespace
}  // namespace optimux::pool::detail
