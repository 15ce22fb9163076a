#include "service/disk_store.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "unit/service/disk_store_fixture.hpp"

namespace optimux::service {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::system_clock;

/// A payload of which so many take a quarter of a megabyte.
std::string payload(char letter, std::size_t size = 15'000) {
  return std::string(size, letter);
}

class DiskStoreTest : public DiskStoreFixture {};

TEST_F(DiskStoreTest, GivesBackWhatWasInserted) {
  const auto store = make();
  EXPECT_EQ(find(*store, "a/1"), std::nullopt);
  const auto stamp = system_clock::time_point(microseconds(1'700'000'000'123'456));
  ASSERT_TRUE(insert(*store, "a/1", payload('x'), stamp));
  EXPECT_EQ(find(*store, "a/1"), payload('x'));
  const auto blob = store->find(key("a/1"));
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->stamp, stamp);
  EXPECT_EQ(store->figures().hits, 2U);
  EXPECT_EQ(store->figures().misses, 1U);
  EXPECT_EQ(store->figures().stored, 1U);
}

TEST_F(DiskStoreTest, KeepsAnyBytesAsKeyAndNone) {
  const auto store = make();
  const std::string odd("\0/../\n\xff", 8);
  ASSERT_TRUE(insert(*store, odd, ""));
  EXPECT_EQ(find(*store, odd), "");
  ASSERT_TRUE(insert(*store, "", "empty key"));
  EXPECT_EQ(find(*store, ""), "empty key");
}

TEST_F(DiskStoreTest, JoinsThePiecesOfAPayload) {
  const auto store = make();
  const std::string first = "first, ";
  const std::string second = "second";
  const std::vector<std::span<const std::byte>> pieces = {
      std::as_bytes(std::span(first)), {}, std::as_bytes(std::span(second))};
  ASSERT_TRUE(store->insert(key("a"), "metadata of a", pieces, system_clock::now()));
  EXPECT_EQ(find(*store, "a"), "first, second");
}

TEST_F(DiskStoreTest, ASecondInsertionReplacesTheFirst) {
  const auto store = make();
  insert(*store, "a", payload('x'));
  insert(*store, "a", payload('y', 30'000));
  EXPECT_EQ(find(*store, "a"), payload('y', 30'000));
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(store->figures().entries, 1U);
  EXPECT_EQ(store->figures().bytes, bytes_on_disk(std::filesystem::file_size(files()[0])));
}

TEST_F(DiskStoreTest, OutlastsItsProcess) {
  insert(*make(), "a", payload('x'));
  const auto next = make();
  EXPECT_EQ(find(*next, "a"), payload('x')) << "even before it has looked at its folder";
  next->scan();
  EXPECT_EQ(next->figures().entries, 1U);
  EXPECT_EQ(next->figures().bytes, bytes_on_disk(std::filesystem::file_size(files()[0])));
}

TEST_F(DiskStoreTest, SetsAStampWithoutWriting) {
  const auto store = make();
  insert(*store, "a", payload('x'), system_clock::now() - hours(5));
  const std::string before = content(files()[0]);
  const auto stamp = system_clock::time_point(microseconds(1'800'000'000'654'321));
  store->set_stamp(key("a"), stamp);
  store->set_stamp(key("there is none"), stamp);
  EXPECT_EQ(store->find(key("a"))->stamp, stamp);
  EXPECT_EQ(content(files()[0]), before);
  EXPECT_EQ(store->figures().faults, 0U);
}

TEST_F(DiskStoreTest, IsBoundedAndTheOneUsedLongestAgoLeavesFirst) {
  const auto store = make();  // 64 blobs of four blocks
  for (int i = 0; i < 64; ++i) insert(*store, "a/" + std::to_string(i), payload('x'));
  EXPECT_EQ(store->figures().entries, 64U);
  ASSERT_TRUE(find(*store, "a/0"));
  for (int i = 64; i < 74; ++i) {
    insert(*store, "a/" + std::to_string(i), payload('x'));
    EXPECT_LE(store->figures().bytes, kLimits.capacity);
  }
  EXPECT_EQ(files().size(), 64U);
  EXPECT_TRUE(find(*store, "a/0")) << "used a moment ago";
  EXPECT_FALSE(find(*store, "a/1"));
  EXPECT_FALSE(find(*store, "a/10"));
  EXPECT_TRUE(find(*store, "a/11"));
  EXPECT_EQ(store->figures().evictions, 10U);
}

TEST_F(DiskStoreTest, AfterARestartTheOrderOfUseIsThatOfTheFiles) {
  {
    const auto store = make();
    for (const char* name : {"a", "b", "c"}) insert(*store, name, payload('x'));
  }
  // The first one was used last, by whichever process.
  for (const auto& file : files()) {
    const bool is_first = file.filename() == BlobName("a", "a").text();
    const auto used = system_clock::now() - (is_first ? hours(1) : hours(3));
    ASSERT_EQ(calls.set_times(file.string(), to_timespec(used), to_timespec(used)), 0);
  }
  const auto store = make({.capacity = 100'000, .min_free = 0, .keep_unused = {}});
  store->scan();
  for (int i = 0; i < 5; ++i) insert(*store, "d" + std::to_string(i), payload('y'));
  EXPECT_TRUE(find(*store, "a"));
  EXPECT_FALSE(find(*store, "b"));
  EXPECT_FALSE(find(*store, "c"));
}

TEST_F(DiskStoreTest, UseIsNotedInTheFile) {
  const auto store = make();
  insert(*store, "a", payload('x'));
  const auto long_ago = to_timespec(system_clock::now() - hours(48));
  ASSERT_EQ(calls.set_times(files()[0].string(), long_ago, long_ago), 0);
  ASSERT_TRUE(find(*store, "a"));
  struct stat status {};
  ASSERT_EQ(calls.lstat(files()[0].string(), status), 0);
  EXPECT_LT(system_clock::now() - to_time_point(status.st_atim), hours(1));
  EXPECT_EQ(status.st_mtim.tv_sec, long_ago.tv_sec) << "which is the owner's";
}

TEST_F(DiskStoreTest, WhatWasNotUsedForTooLongGoes) {
  insert(*make(), "a", payload('x'));
  const auto long_ago = to_timespec(system_clock::now() - hours(48));
  ASSERT_EQ(calls.set_times(files()[0].string(), long_ago, long_ago), 0);
  make({.capacity = 1 << 20, .min_free = 0, .keep_unused = hours(49)})->scan();
  EXPECT_EQ(files().size(), 1U);
  make({.capacity = 1 << 20, .min_free = 0, .keep_unused = hours(47)})->scan();
  EXPECT_EQ(files().size(), 0U);
}

TEST_F(DiskStoreTest, OneThatWouldPushOutManyIsRefused) {
  const auto store = make();
  EXPECT_FALSE(insert(*store, "large", payload('x', (1 << 18) + 1)));
  EXPECT_TRUE(insert(*store, "just", payload('x', (1 << 18) - 4096)));
  EXPECT_FALSE(insert(*store, std::string(kMaxBlobText + 1, 'k'), "long key"));
  EXPECT_EQ(store->figures().refused, 2U);
  EXPECT_EQ(store->figures().faults, 0U);
  store->set_limits({.capacity = 0, .min_free = 0, .keep_unused = {}});
  EXPECT_FALSE(insert(*store, "a", "x"));
}

TEST_F(DiskStoreTest, ASmallerCapacityHoldsFromTheNextInsertionOn) {
  const auto store = make();
  for (int i = 0; i < 60; ++i) insert(*store, std::to_string(i), payload('x'));
  store->set_limits({.capacity = 1 << 18, .min_free = 0, .keep_unused = {}});
  insert(*store, "next", payload('x'));
  EXPECT_LE(store->figures().bytes, std::uint64_t{1} << 18);
  EXPECT_EQ(files().size(), 16U);
  EXPECT_TRUE(find(*store, "next"));
}

TEST_F(DiskStoreTest, LeavesRoomToOthers) {
  const auto store = make();
  ASSERT_TRUE(insert(*store, "a", payload('x')));
  store->set_limits({.capacity = 1 << 20, .min_free = std::uint64_t{1} << 62, .keep_unused = {}});
  EXPECT_FALSE(insert(*store, "b", payload('x')));
  EXPECT_EQ(files().size(), 0U) << "the cache gives way";
  EXPECT_GT(store->figures().faults, 0U);
}

TEST_F(DiskStoreTest, ErasesOneAGroupAndAll) {
  const auto store = make();
  for (const char* name : {"a/1", "a/2", "a/3", "b/1", "c/1"}) insert(*store, name, payload('x'));
  EXPECT_TRUE(store->erase(key("a/1")));
  EXPECT_TRUE(store->erase(key("a/1"))) << "it is gone already";
  EXPECT_FALSE(find(*store, "a/1"));
  EXPECT_TRUE(find(*store, "a/2"));
  EXPECT_TRUE(store->erase_group("a"));
  EXPECT_FALSE(find(*store, "a/2"));
  EXPECT_FALSE(find(*store, "a/3"));
  EXPECT_TRUE(find(*store, "b/1"));
  EXPECT_EQ(store->figures().entries, 2U);
  EXPECT_TRUE(store->clear());
  EXPECT_EQ(files().size(), 0U);
  EXPECT_EQ(store->figures().bytes, 0U);
}

TEST_F(DiskStoreTest, TouchesNothingThatIsNotItsOwn) {
  folder.write("store/README", "somebody else's");
  folder.write("store/a/bc/notes.txt", "somebody else's");
  folder.write("store/tmp/notes.txt", "somebody else's");
  folder.write("store/a/00/" + std::string(48, 'b'), "not where a name of this kind lies");
  const auto store = make({.capacity = 1 << 20, .min_free = 0, .keep_unused = std::chrono::milliseconds(1)});
  store->scan();
  EXPECT_TRUE(store->clear());
  EXPECT_EQ(files().size(), 4U);
  EXPECT_EQ(store->figures().entries, 0U);
}

// Two stores in one process stand for two processes: they share nothing but the folder.

TEST_F(DiskStoreTest, TwoOnOneFolderFindWhatTheOtherHasWritten) {
  const auto one = make();
  const auto other = make();
  insert(*one, "a", payload('x'));
  EXPECT_EQ(find(*other, "a"), payload('x'));
  EXPECT_EQ(other->figures().entries, 1U) << "what is found is counted";
  insert(*other, "a", payload('y'));
  EXPECT_EQ(find(*one, "a"), payload('y'));
  EXPECT_TRUE(other->erase(key("a")));
  EXPECT_EQ(find(*one, "a"), std::nullopt);
}

TEST_F(DiskStoreTest, TwoOnOneFolderStayNearTheCapacityTogether) {
  const auto one = make();
  const auto other = make();
  for (int i = 0; i < 200; ++i) insert(i % 2 == 0 ? *one : *other, std::to_string(i), payload('x'));
  // Each may have written a sixteenth that the other has not seen yet, and the blob that made it look.
  EXPECT_LE(files().size(), 64U + 2 * 5);
  EXPECT_GE(files().size(), 48U);
}

TEST_F(DiskStoreTest, ManyThreadsAndTwoStoresNeverSeeAWrongBlob) {
  const DiskStoreLimits small{.capacity = 1 << 18, .min_free = 0, .keep_unused = {}};
  DiskCalls& plain = system_disk_calls();
  const auto one = *DiskStore::make((folder / "store").string(), small, *log, plain);
  const auto other = *DiskStore::make((folder / "store").string(), small, *log, plain);
  std::atomic<int> wrong = 0;
  std::atomic<int> found = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 150; ++i) {
          DiskStore& store = (i + thread) % 2 == 0 ? *one : *other;
          const char letter = static_cast<char>('a' + (i * 7 + thread) % 26);
          const std::string name(1, letter);
          const auto blob = find(store, name);
          if (blob) ++found;
          if (blob && *blob != payload(letter)) ++wrong;
          if (i % 40 == 39) store.scan();
          if (i % 10 == 9) store.erase(key(name));
          if (!blob) insert(store, name, payload(letter));
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
  EXPECT_EQ(one->figures().damaged + other->figures().damaged, 0U);
  EXPECT_EQ(one->figures().faults + other->figures().faults, 0U);
  for (const auto& file : files()) EXPECT_NE(file.parent_path().filename(), "tmp") << "a leftover";
}

}  // namespace
}  // namespace optimux::service
