#include "service/memory_cache.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

std::shared_ptr<Rendition> rendition(const std::string& key, std::size_t bytes = 10) {
  auto made = std::make_shared<Rendition>(key);
  made->body()->start({"image/png", 1, 1, 1});
  made->body()->append(std::vector<std::byte>(bytes));
  made->body()->complete();
  return made;
}

/// What one small rendition with a key of one letter costs.
std::uint64_t small() {
  return MemoryCache::cost_of(*rendition("a"));
}

TEST(MemoryCache, HitAndMiss) {
  MemoryCache cache(8 * small());
  EXPECT_EQ(cache.find("a"), nullptr);
  const auto kept = rendition("a");
  cache.insert(kept);
  EXPECT_EQ(cache.find("a"), kept);
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST(MemoryCache, CostsWhatTheBodyTakesAndMore) {
  const auto large = rendition("key", 100'000);
  EXPECT_GT(MemoryCache::cost_of(*large), large->body()->memory_size());
  EXPECT_GE(large->body()->memory_size(), 100'000U);
}

TEST(MemoryCache, TheOneUsedLongestAgoLeavesFirst) {
  MemoryCache cache(4 * small());
  for (const char* key : {"a", "b", "c", "d"}) cache.insert(rendition(key));
  ASSERT_NE(cache.find("a"), nullptr);
  cache.insert(rendition("e"));
  EXPECT_EQ(cache.find("b"), nullptr);
  for (const char* key : {"a", "c", "d", "e"}) EXPECT_NE(cache.find(key), nullptr) << key;
  EXPECT_EQ(cache.figures().evictions, 1U);
}

TEST(MemoryCache, IsBoundedByBytes) {
  const std::uint64_t capacity = 10 * small() + small() / 2;
  MemoryCache cache(capacity);
  for (char key = 'a'; key <= 'z'; ++key) {
    cache.insert(rendition(std::string(1, key), 10 + static_cast<std::size_t>(key - 'a') * 100));
    EXPECT_LE(cache.figures().bytes, capacity);
  }
  EXPECT_EQ(cache.figures().entries + cache.figures().evictions, 26U);
}

TEST(MemoryCache, OneThatWouldPushOutManyIsNotKept) {
  MemoryCache cache(20 * small());
  cache.insert(rendition("a"));
  cache.insert(rendition("b", 20 * small()));
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_EQ(cache.figures().evictions, 0U);
}

TEST(MemoryCache, TheSameKeyAgainReplaces) {
  MemoryCache cache(8 * small());
  cache.insert(rendition("a"));
  const auto second = rendition("a");
  cache.insert(second);
  EXPECT_EQ(cache.find("a"), second);
  EXPECT_EQ(cache.figures().entries, 1U);
  EXPECT_EQ(cache.figures().bytes, MemoryCache::cost_of(*second));
  EXPECT_EQ(cache.figures().evictions, 0U);
}

TEST(MemoryCache, ASmallerCapacityEvictsAtOnce) {
  MemoryCache cache(8 * small());
  for (const char* key : {"a", "b", "c", "d"}) cache.insert(rendition(key));
  cache.set_capacity(2 * small());
  EXPECT_EQ(cache.figures().entries, 2U);
  EXPECT_NE(cache.find("d"), nullptr);
  cache.set_capacity(0);
  EXPECT_EQ(cache.figures().bytes, 0U);
  cache.insert(rendition("e"));
  EXPECT_EQ(cache.find("e"), nullptr);
}

TEST(MemoryCache, AnEvictedRenditionLivesAsLongAsItIsRead) {
  MemoryCache cache(4 * small());
  cache.insert(rendition("a"));
  auto reader = cache.find("a")->body()->attach();
  cache.set_capacity(0);
  EXPECT_EQ(reader.peek().size(), 10U);
}

TEST(MemoryCache, HalvingDropsWhatWasUsedLongestAgoAndLowersNoCapacity) {
  MemoryCache cache(8 * small());
  for (const char* key : {"a", "b", "c", "d"}) cache.insert(rendition(key));
  EXPECT_NE(cache.find("a"), nullptr);
  cache.halve();
  EXPECT_EQ(cache.figures().entries, 2U);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("d"), nullptr);
  for (const char* key : {"e", "f", "g", "h"}) cache.insert(rendition(key));
  EXPECT_EQ(cache.figures().entries, 6U);
  for (int i = 0; i < 10; ++i) cache.halve();
  EXPECT_EQ(cache.figures().entries, 0U);
  EXPECT_EQ(cache.figures().bytes, 0U);
}

TEST(MemoryCache, ManyThreads) {
  const std::uint64_t capacity = 16 * small();
  MemoryCache cache(capacity);
  std::atomic<bool> wrong = false;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&cache, &wrong, thread] {
        for (int i = 0; i < 500; ++i) {
          const std::string key(1, static_cast<char>('a' + (i * (thread + 3)) % 24));
          const auto found = cache.find(key);
          if (found && found->key() != key) wrong = true;
          if (!found) cache.insert(rendition(key));
        }
      });
    }
  }
  EXPECT_FALSE(wrong);
  EXPECT_LE(cache.figures().bytes, capacity);
  EXPECT_GT(cache.figures().entries, 0U);
}

TEST(MemoryCache, GivesOutWhatIsYoungerThanItsLifetime) {
  using std::chrono::milliseconds;
  MemoryCache cache(8 * small(), milliseconds(100));
  const auto kept = rendition("a");
  const auto finished = MemoryCache::Clock::now();
  kept->set_validated_at(finished);
  cache.insert(kept);
  EXPECT_EQ(cache.find("a", finished + milliseconds(99)), kept);
  EXPECT_EQ(cache.find("a", finished + milliseconds(100)), nullptr);
  EXPECT_EQ(cache.find_kept("a"), kept) << "its source may turn out to be the same";
  cache.set_lifetime(milliseconds(200));
  EXPECT_EQ(cache.find("a", finished + milliseconds(199)), kept);
}

TEST(MemoryCache, ForgetsWhatIsMeant) {
  MemoryCache cache(16 * small());
  for (const char* key : {"a", "b", "c"}) cache.insert(rendition(key));
  cache.erase_if([](const Rendition& kept) { return kept.key() != "b"; });
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("b"), nullptr);
  EXPECT_EQ(cache.find("c"), nullptr);
  EXPECT_EQ(cache.figures().entries, 1U);
  EXPECT_EQ(cache.figures().bytes, small());
  EXPECT_EQ(cache.figures().evictions, 0U);
}

}  // namespace
}  // namespace optimux::service
