#include "service/memory_watch.hpp"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using Level = MemoryWatch::Level;
using std::chrono::milliseconds;

const MemoryWatch::Clock::time_point kStart = MemoryWatch::Clock::time_point(std::chrono::hours(1));

Level level_at(std::uint64_t bytes, std::uint64_t limit) {
  return MemoryWatch(limit, [bytes] { return bytes; }).look(kStart).level;
}

TEST(MemoryWatchTest, GivesWayInStepsBeforeTheLimit) {
  EXPECT_EQ(level_at(0, 1'000), Level::kPlenty);
  EXPECT_EQ(level_at(799, 1'000), Level::kPlenty);
  EXPECT_EQ(level_at(800, 1'000), Level::kTight);
  EXPECT_EQ(level_at(899, 1'000), Level::kTight);
  EXPECT_EQ(level_at(900, 1'000), Level::kShort);
  EXPECT_EQ(level_at(950, 1'000), Level::kCritical);
  EXPECT_EQ(level_at(5'000, 1'000), Level::kCritical);
}

TEST(MemoryWatchTest, LooksAgainAfterAWhileAndNotBefore) {
  std::uint64_t bytes = 950;
  int looks = 0;
  MemoryWatch watch(1'000, [&] {
    ++looks;
    return bytes;
  });
  EXPECT_TRUE(watch.look(kStart).is_new);
  bytes = 0;
  const auto soon = watch.look(kStart + milliseconds(49));
  EXPECT_EQ(soon.level, Level::kCritical);
  EXPECT_FALSE(soon.is_new);
  const auto later = watch.look(kStart + milliseconds(50));
  EXPECT_EQ(later.level, Level::kPlenty);
  EXPECT_TRUE(later.is_new);
  EXPECT_EQ(looks, 2);
}

TEST(MemoryWatchTest, ANewLimitHoldsAtOnce) {
  MemoryWatch watch(1'000, [] { return 950; });
  EXPECT_EQ(watch.look(kStart).level, Level::kCritical);
  watch.set_limit(2'000);
  EXPECT_EQ(watch.look(kStart).level, Level::kPlenty);
  EXPECT_EQ(watch.limit(), 2'000u);
}

TEST(MemoryWatchTest, WithoutALimitItIsBelowWhatTheSystemGives) {
  const MemoryWatch watch(0);
  EXPECT_GT(watch.limit(), std::uint64_t{16} << 20);
  EXPECT_LT(watch.limit(), memory_ceiling());
  EXPECT_EQ(watch.limit(), memory_ceiling() / 10 * 9);
}

TEST(MemoryWatchTest, CountsWhatIsInMemory) {
  constexpr std::size_t kSize = 64 << 20;
  const std::uint64_t before = resident_bytes();
  ASSERT_GT(before, 0u);
  const std::unique_ptr<char[]> block(new char[kSize]);
  std::memset(block.get(), 1, kSize);
  EXPECT_GE(resident_bytes() + (8 << 20), before + kSize);
  EXPECT_EQ(block[kSize - 1], 1);
}

}  // namespace
}  // namespace optimux::service
