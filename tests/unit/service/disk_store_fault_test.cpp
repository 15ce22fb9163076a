// What a DiskStore makes of disks that fail, of files that were changed and of processes that were killed.
#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/disk_store_fixture.hpp"

namespace optimux::service {
namespace {

using std::chrono::system_clock;

class DiskStoreFaultTest : public DiskStoreFixture {
 protected:
  /// After whatever has happened: nothing half-written is left, and the store works again.
  void expect_mended(DiskStore& store) {
    calls.fail(0, 0);
    store.scan();
    for (const auto& file : files()) EXPECT_NE(file.parent_path().filename(), "tmp") << "a leftover";
    EXPECT_TRUE(insert(store, "afterwards", "works"));
    EXPECT_EQ(find(store, "afterwards"), "works");
  }
};

constexpr int kErrors[] = {EIO, ENOSPC, EROFS, EACCES, EMFILE, ENOENT};

TEST_F(DiskStoreFaultTest, AnyCallOfAnInsertionMayFail) {
  for (const int error : kErrors) {
    for (const bool also_later : {false, true}) {
      int number = 0;
      do {
        ++number;
        std::filesystem::remove_all(folder / "store");
        calls.fail(0, 0);
        const auto store = make();
        insert(*store, "old", "stays");
        calls.fail(number, error, also_later);
        const bool inserted = insert(*store, "new", "content");
        const bool has_failed = calls.count() >= number;
        calls.fail(0, 0);
        const auto found = find(*store, "new");
        EXPECT_EQ(found.has_value(), inserted) << error << " in call " << number;
        EXPECT_EQ(found.value_or("content"), "content");
        expect_mended(*store);
        if (!has_failed) break;
      } while (number < 100);
      EXPECT_GT(number, 5) << "several calls";
      EXPECT_LT(number, 100);
    }
  }
}

TEST_F(DiskStoreFaultTest, AnyCallOfASearchMayFail) {
  for (const int error : kErrors) {
    const auto store = make();
    insert(*store, "a", "content");
    int number = 0;
    do {
      calls.fail(++number, error);
      const auto found = find(*store, "a");
      EXPECT_EQ(found.value_or("content"), "content");
      const bool has_failed = calls.count() >= number;
      calls.fail(0, 0);
      EXPECT_EQ(find(*store, "a"), "content")
          << "a failure of the disk is no damage: " << error << " in call " << number;
      if (!has_failed) break;
    } while (number < 100);
    EXPECT_GT(number, 3);
  }
}

TEST_F(DiskStoreFaultTest, AnyCallOfAScanMayFail) {
  int number = 0;
  do {
    const auto store = make();
    insert(*store, "a", "content");
    insert(*store, "b", "content");
    calls.fail(++number, EIO);
    store->scan();
    const bool has_failed = calls.count() >= number;
    expect_mended(*store);
    EXPECT_EQ(find(*store, "a"), "content");
    if (!has_failed) break;
  } while (number < 200);
  EXPECT_GT(number, 5);
}

TEST_F(DiskStoreFaultTest, AnErasureThatFailsSaysSo) {
  const auto store = make();
  insert(*store, "a/1", "content");
  calls.fail(1, EACCES);
  EXPECT_FALSE(store->erase(key("a/1")));
  calls.fail(1, EACCES, true);
  EXPECT_FALSE(store->erase_group("a"));
  calls.fail(1, EACCES, true);
  EXPECT_FALSE(store->clear());
  calls.fail(0, 0);
  EXPECT_EQ(find(*store, "a/1"), "content");
}

TEST_F(DiskStoreFaultTest, FileCutOffAnywhereIsAMissAndGone) {
  const auto store = make();
  insert(*store, "a", "content");
  const auto path = files().at(0);
  const std::string whole = content(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    overwrite(path, whole.substr(0, size));
    EXPECT_EQ(find(*store, "a"), std::nullopt) << size;
    EXPECT_FALSE(std::filesystem::exists(path)) << size;
    std::filesystem::create_directories(path.parent_path());
  }
  overwrite(path, whole + "x");
  EXPECT_EQ(find(*store, "a"), std::nullopt);
  EXPECT_EQ(store->figures().damaged, whole.size() + 1);
  overwrite(path, whole);
  EXPECT_EQ(find(*store, "a"), "content");
}

TEST_F(DiskStoreFaultTest, AnyBitThatFlipsIsFound) {
  const auto store = make();
  insert(*store, "a", "content");
  const auto path = files().at(0);
  const std::string whole = content(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ (1U << bit));
      overwrite(path, changed);
      EXPECT_EQ(find(*store, "a"), std::nullopt) << "byte " << i << ", bit " << bit;
    }
  }
  overwrite(path, whole);
  EXPECT_EQ(find(*store, "a"), "content");
}

TEST_F(DiskStoreFaultTest, ABlobOfAnotherKeyUnderTheSameNameIsLeft) {
  const auto store = make();
  insert(*store, "a", "content");
  insert(*store, "b", "other");
  const std::string of_b = content(folder.path() / "store" / BlobName("b", "b").path());
  const auto path = folder.path() / "store" / BlobName("a", "a").path();
  overwrite(path, of_b);
  EXPECT_EQ(find(*store, "a"), std::nullopt);
  EXPECT_TRUE(std::filesystem::exists(path)) << "to whoever has that key it is right";
  EXPECT_EQ(store->figures().damaged, 0U);
}

TEST_F(DiskStoreFaultTest, FolderThatVanishesIsMadeAnew) {
  const auto store = make();
  insert(*store, "a", "content");
  std::filesystem::remove_all(folder / "store");
  EXPECT_EQ(find(*store, "a"), std::nullopt);
  EXPECT_TRUE(store->erase(key("a")));
  EXPECT_TRUE(store->erase_group("a"));
  EXPECT_TRUE(store->clear());
  store->scan();
  EXPECT_EQ(store->figures().entries, 0U);
  EXPECT_TRUE(insert(*store, "a", "again"));
  EXPECT_EQ(find(*store, "a"), "again");
}

TEST_F(DiskStoreFaultTest, FullDiskMakesRoomOnceAndThenGivesUp) {
  const auto store = make();
  for (int i = 0; i < 10; ++i) insert(*store, std::to_string(i), std::string(15'000, 'x'));
  calls.fail(4, ENOSPC);  // statvfs is not asked for; open, lock, then the head and the payload
  EXPECT_TRUE(insert(*store, "next", std::string(15'000, 'y')));
  EXPECT_GT(store->figures().evictions, 0U);
  EXPECT_EQ(find(*store, "next"), std::string(15'000, 'y'));
  EXPECT_EQ(store->figures().faults, 0U) << "room was made";
}

TEST_F(DiskStoreFaultTest, LeftoverOfADeadProcessGoesAndThatOfALivingOneStays) {
  const auto store = make();
  insert(*store, "a", "content");
  const std::string dead = "store/tmp/" + std::string(32, 'd');
  const std::string living = "store/tmp/" + std::string(32, 'e');
  folder.write(dead, "half of a blo");
  folder.write(living, "half of a blo");
  const int file = ::open((folder / living).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  make()->scan();
  EXPECT_FALSE(std::filesystem::exists(folder / dead));
  EXPECT_TRUE(std::filesystem::exists(folder / living));
  ::close(file);
  make()->scan();
  EXPECT_FALSE(std::filesystem::exists(folder / living));
}

TEST_F(DiskStoreFaultTest, FolderThatCannotBeOneIsRefusedAtTheStart) {
  folder.write("file", "no folder");
  const auto store = DiskStore::make((folder / "file" / "below").string(), kLimits, *log);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, base::ErrorCode::kInvalidParameter);
  EXPECT_NE(store.error().detail.find("file/below"), std::string::npos) << store.error().detail;
  EXPECT_FALSE(DiskStore::make((folder / "file").string(), kLimits, *log));
}

TEST_F(DiskStoreFaultTest, ReadOnlyDiskIsNoReasonNotToStart) {
  calls.fail(1, EROFS, true);
  const auto store = DiskStore::make((folder / "store").string(), kLimits, *log, calls);
  ASSERT_TRUE(store) << store.error().detail;
  EXPECT_FALSE(insert(**store, "a", "content"));
  EXPECT_EQ(find(**store, "a"), std::nullopt);
  expect_mended(**store);
}

/// Counts its lines.
class CountingLog final : public base::LogSink {
 public:
  void write(base::LogLevel, std::string_view, std::span<const base::LogField>) override { ++lines; }
  void set_level(base::LogLevel) override {}
  base::LogLevel level() const override { return base::LogLevel::kDebug; }
  int lines = 0;
};

TEST_F(DiskStoreFaultTest, ALineAMinuteIsEnough) {
  CountingLog counting;
  const auto store = DiskStore::make((folder / "store").string(), kLimits, counting, calls);
  ASSERT_TRUE(store);
  calls.fail(1, EIO, true);
  for (int i = 0; i < 100; ++i) insert(**store, "a", "content");
  EXPECT_EQ((*store)->figures().faults, 100U);
  EXPECT_EQ(counting.lines, 1);
}

TEST(PacedLog, SpeaksAgainAfterAMinuteAndCountsWhatItLeftOut) {
  CountingLog counting;
  PacedLog paced(counting);
  const auto begin = PacedLog::Clock::now();
  paced.warn("event", "cause", begin);
  paced.warn("event", "cause", begin + std::chrono::seconds(59));
  EXPECT_EQ(counting.lines, 1);
  paced.warn("event", "cause", begin + std::chrono::seconds(60));
  EXPECT_EQ(counting.lines, 2);
}

}  // namespace
}  // namespace optimux::service
