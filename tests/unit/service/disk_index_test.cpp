#include "service/disk_index.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using std::chrono::seconds;

BlobName name(const std::string& key) {
  return {key, key};
}
DiskIndex::Time at(int second) {
  return DiskIndex::Time(seconds(second));
}

TEST(DiskIndex, TheOneUsedLongestAgoComesFirst) {
  DiskIndex index;
  index.put(name("a"), 10, at(1));
  index.put(name("b"), 20, at(2));
  index.put(name("a"), 15, at(3));
  EXPECT_EQ(index.bytes(), 35U);
  EXPECT_EQ(index.entries(), 2U);
  EXPECT_EQ(index.take_oldest()->name, name("b"));
  EXPECT_EQ(index.take_oldest()->name, name("a"));
  EXPECT_FALSE(index.take_oldest());
  EXPECT_EQ(index.bytes(), 0U);
}

TEST(DiskIndex, TellsTheLastUse) {
  DiskIndex index;
  EXPECT_EQ(index.last_use(name("a")), std::nullopt);
  index.put(name("a"), 10, at(1));
  index.put(name("a"), 10, at(7));
  EXPECT_EQ(index.last_use(name("a")), at(7));
}

TEST(DiskIndex, ForgetsWhatIsRemoved) {
  DiskIndex index;
  index.put(name("a"), 10, at(1));
  index.remove(name("b"));
  index.remove(name("a"));
  EXPECT_EQ(index.bytes(), 0U);
  EXPECT_EQ(index.entries(), 0U);
}

TEST(DiskIndex, IsOrderedByTheTimesItIsMadeWith) {
  DiskIndex index({{name("b"), 1, at(2)}, {name("c"), 1, at(3)}, {name("a"), 1, at(1)}});
  for (const char* expected : {"a", "b", "c"}) EXPECT_EQ(index.take_oldest()->name, name(expected));
}

TEST(DiskIndex, TakesOverWhatIsRecentInItsOrder) {
  DiskIndex older;
  for (int i = 1; i <= 5; ++i) older.put(name(std::to_string(i)), 10, at(i));
  DiskIndex fresh({{name("1"), 1, at(1)}, {name("4"), 1, at(0)}});
  fresh.take_over_recent(older, at(3));
  EXPECT_EQ(fresh.entries(), 4U);
  EXPECT_EQ(fresh.bytes(), 31U);
  for (const char* expected : {"1", "3", "4", "5"}) EXPECT_EQ(fresh.take_oldest()->name, name(expected));
}

}  // namespace
}  // namespace optimux::service
