#include "service/failure_memory.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using base::ErrorCode;
using std::chrono::seconds;

class FailureMemoryTest : public testing::Test {
 protected:
  static source::SourceLocator locator(std::string name = "cat.jpg") {
    return {source::SourceLocator::Kind::kFile, std::move(name)};
  }
  FailureMemory::Clock::time_point now{};
  FailureMemory memory{seconds(10)};
};

TEST_F(FailureMemoryTest, RemembersForItsTime) {
  memory.remember(locator(), {ErrorCode::kNotFound, "gone", {}}, now);
  ASSERT_TRUE(memory.find(locator(), now + seconds(9)).has_value());
  EXPECT_EQ(memory.find(locator(), now + seconds(9))->detail, "gone");
  EXPECT_FALSE(memory.find(locator(), now + seconds(10)).has_value());
  EXPECT_FALSE(memory.find(locator("dog.jpg"), now).has_value());
}

TEST_F(FailureMemoryTest, RemembersOnlyWhatLasts) {
  for (const auto code : {ErrorCode::kNotFound, ErrorCode::kUnsupportedMedia, ErrorCode::kBrokenMedia}) {
    memory.remember(locator("lasting"), {code, {}, {}}, now);
    EXPECT_EQ(memory.find(locator("lasting"), now)->code, code);
  }
  for (const auto code :
       {ErrorCode::kCancelled, ErrorCode::kOverloaded, ErrorCode::kOriginTimeout, ErrorCode::kInternal,
        ErrorCode::kLimitExceeded, ErrorCode::kInvalidParameter, ErrorCode::kDeadlineExceeded}) {
    memory.remember(locator(), {code, {}, {}}, now);
    EXPECT_FALSE(memory.find(locator(), now).has_value()) << base::name_of(code);
  }
}

TEST_F(FailureMemoryTest, ANewFailureStartsItsTimeAnew) {
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  memory.remember(locator(), {ErrorCode::kBrokenMedia, {}, {}}, now + seconds(5));
  EXPECT_EQ(memory.find(locator(), now + seconds(14))->code, ErrorCode::kBrokenMedia);
}

TEST_F(FailureMemoryTest, IsOffWithoutATime) {
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  memory.set_time(seconds(0));
  EXPECT_FALSE(memory.find(locator(), now).has_value());
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  EXPECT_FALSE(memory.find(locator(), now).has_value());
}

TEST_F(FailureMemoryTest, IsBounded) {
  for (std::size_t i = 0; i <= FailureMemory::kCapacity; ++i) {
    memory.remember(locator(std::to_string(i)), {ErrorCode::kNotFound, {}, {}}, now);
  }
  EXPECT_FALSE(memory.find(locator("0"), now).has_value());
  EXPECT_TRUE(memory.find(locator("1"), now).has_value());
  EXPECT_TRUE(memory.find(locator(std::to_string(FailureMemory::kCapacity)), now).has_value());
}

}  // namespace
}  // namespace optimux::service
