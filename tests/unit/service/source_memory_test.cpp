#include "service/source_memory.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

TEST(SourceMemory, TakesUntilItIsUsedUp) {
  const auto memory = std::make_shared<SourceMemory>(100);
  auto first = memory->take(60);
  const auto second = memory->take(40);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(memory->take(1));
  first = {};
  EXPECT_EQ(memory->in_use(), 40U);
  EXPECT_TRUE(memory->take(60));
}

TEST(SourceMemory, OneIsAlwaysTaken) {
  const auto memory = std::make_shared<SourceMemory>(100);
  const auto large = memory->take(1000);
  EXPECT_TRUE(large);
  EXPECT_FALSE(memory->take(1));
}

TEST(SourceMemory, ALeaseGivesBackOnce) {
  const auto memory = std::make_shared<SourceMemory>(100);
  {
    SourceMemory::Lease kept;
    kept = memory->take(50);
    const SourceMemory::Lease moved(std::move(kept));
    EXPECT_EQ(memory->in_use(), 50U);
  }
  EXPECT_EQ(memory->in_use(), 0U);
}

TEST(SourceMemory, TheTotalMayChange) {
  const auto memory = std::make_shared<SourceMemory>(100);
  const auto first = memory->take(50);
  memory->set_total(40);
  EXPECT_FALSE(memory->take(1));
  memory->set_total(60);
  EXPECT_TRUE(memory->take(10));
}

}  // namespace
}  // namespace optimux::service
