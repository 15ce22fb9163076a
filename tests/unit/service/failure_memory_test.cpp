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
    return {source::SourceLocator::Kind::kHttp, "http://origin/" + std::move(name)};
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
    const auto lasting = locator(std::string(base::name_of(code)));
    memory.remember(lasting, {code, {}, {}}, now);
    ASSERT_TRUE(memory.find(lasting, now).has_value());
    EXPECT_EQ(memory.find(lasting, now)->code, code);
  }
  for (const auto code :
       {ErrorCode::kCancelled, ErrorCode::kOverloaded, ErrorCode::kOriginFailed, ErrorCode::kOriginTimeout,
        ErrorCode::kForbiddenSource, ErrorCode::kInternal, ErrorCode::kLimitExceeded, ErrorCode::kInvalidParameter,
        ErrorCode::kVideoSource, ErrorCode::kDeadlineExceeded}) {
    memory.remember(locator(), {code, {}, {}}, now);
    EXPECT_FALSE(memory.find(locator(), now).has_value()) << base::name_of(code);
  }
}

TEST_F(FailureMemoryTest, IsNotProlongedByThoseWhoAsk) {
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now + seconds(5));
  EXPECT_TRUE(memory.find(locator(), now + seconds(9)).has_value());
  EXPECT_FALSE(memory.find(locator(), now + seconds(10)).has_value());
}

TEST_F(FailureMemoryTest, ANewFailureAfterItsTimeStartsAnew) {
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  memory.remember(locator(), {ErrorCode::kBrokenMedia, {}, {}}, now + seconds(10));
  EXPECT_EQ(memory.find(locator(), now + seconds(19))->code, ErrorCode::kBrokenMedia);
}

TEST_F(FailureMemoryTest, IsOffWithoutATime) {
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  memory.set_time(seconds(0));
  EXPECT_FALSE(memory.find(locator(), now).has_value());
  memory.remember(locator(), {ErrorCode::kNotFound, {}, {}}, now);
  EXPECT_FALSE(memory.find(locator(), now).has_value());
}

TEST_F(FailureMemoryTest, AMissingFileIsLookedForAgainAtOnceAndABrokenOneIsNot) {
  const source::SourceLocator file{source::SourceLocator::Kind::kFile, "cat.jpg"};
  memory.remember(file, {ErrorCode::kNotFound, {}, {}}, now);
  EXPECT_FALSE(memory.find(file, now).has_value());
  memory.remember(file, {ErrorCode::kBrokenMedia, {}, {}}, now);
  EXPECT_TRUE(memory.find(file, now).has_value());
}

TEST_F(FailureMemoryTest, AMissingFileOfADistantStoreIsAMissingSource) {
  FailureMemory distant{seconds(10), false};
  const source::SourceLocator file{source::SourceLocator::Kind::kFile, "cat.jpg"};
  distant.remember(file, {ErrorCode::kNotFound, {}, {}}, now);
  EXPECT_TRUE(distant.find(file, now).has_value());
}

TEST_F(FailureMemoryTest, APartThatIsBrokenIsNotTheWhole) {
  memory.remember(locator(), {ErrorCode::kBrokenMedia, {}, {}}, now, "page 2");
  EXPECT_TRUE(memory.find(locator(), now, "page 2").has_value());
  EXPECT_FALSE(memory.find(locator(), now, "page 1").has_value());
  EXPECT_FALSE(memory.find(locator(), now).has_value());
  EXPECT_FALSE(memory.find(locator("cat.jpgpage 2"), now).has_value());
  EXPECT_EQ(memory.hits(), 1U);
}

TEST_F(FailureMemoryTest, ASourceThatIsBrokenIsSoInAllParts) {
  memory.remember(locator(), {ErrorCode::kUnsupportedMedia, {}, {}}, now);
  memory.remember(locator(), {ErrorCode::kBrokenMedia, {}, {}}, now, "page 1");
  EXPECT_EQ(memory.find(locator(), now, "page 1")->code, ErrorCode::kUnsupportedMedia);
}

TEST_F(FailureMemoryTest, ASourceIsForgottenWithItsParts) {
  memory.remember(locator("a"), {ErrorCode::kBrokenMedia, {}, {}}, now, "page 1");
  memory.remember(locator("ab"), {ErrorCode::kBrokenMedia, {}, {}}, now, "page 1");
  memory.forget(locator("a").canonical());
  EXPECT_FALSE(memory.find(locator("a"), now, "page 1").has_value());
  EXPECT_TRUE(memory.find(locator("ab"), now, "page 1").has_value());
}

TEST_F(FailureMemoryTest, ForgetsOneSourceOrAll) {
  for (const char* name : {"a", "b", "c"}) memory.remember(locator(name), {ErrorCode::kNotFound, {}, {}}, now);
  memory.forget(locator("a").canonical());
  memory.forget("http:http://origin/unknown");
  EXPECT_FALSE(memory.find(locator("a"), now).has_value());
  EXPECT_TRUE(memory.find(locator("b"), now).has_value());
  memory.forget("");
  EXPECT_FALSE(memory.find(locator("b"), now).has_value());
  EXPECT_EQ(memory.hits(), 1U);
}

TEST_F(FailureMemoryTest, WhatWasForgottenAndFailsAgainKeepsItsPlaceInTheLine) {
  memory.remember(locator("again"), {ErrorCode::kNotFound, {}, {}}, now);
  memory.forget(locator("again").canonical());
  memory.remember(locator("again"), {ErrorCode::kNotFound, {}, {}}, now);
  for (std::size_t i = 1; i < FailureMemory::kCapacity; ++i) {
    memory.remember(locator(std::to_string(i)), {ErrorCode::kNotFound, {}, {}}, now);
  }
  EXPECT_TRUE(memory.find(locator("again"), now).has_value());
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
