#include "service/miss_memory.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using std::chrono::seconds;

TEST(MissMemoryTest, RemembersForAWhile) {
  MissMemory memory(seconds(10));
  const MissMemory::Clock::time_point now{};
  EXPECT_FALSE(memory.contains("a", now));
  memory.remember("a", now);
  EXPECT_TRUE(memory.contains("a", now + seconds(9)));
  EXPECT_FALSE(memory.contains("b", now));
  EXPECT_FALSE(memory.contains("a", now + seconds(10)));
  memory.remember("a", now);
  memory.forget("a");
  EXPECT_FALSE(memory.contains("a", now));
}

TEST(MissMemoryTest, WithoutATimeItRemembersNothing) {
  MissMemory memory(seconds(0));
  memory.remember("a", {});
  EXPECT_FALSE(memory.contains("a", {}));
}

TEST(MissMemoryTest, IsBounded) {
  MissMemory memory(seconds(10));
  for (std::size_t i = 0; i < MissMemory::kMaxEntries; ++i) memory.remember(std::to_string(i), {});
  EXPECT_TRUE(memory.contains("0", {}));
  memory.remember("one more", {});
  EXPECT_FALSE(memory.contains("0", {}));
  EXPECT_TRUE(memory.contains("one more", {}));
}

}  // namespace
}  // namespace optimux::service
