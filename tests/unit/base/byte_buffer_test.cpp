#include "base/byte_buffer.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const ByteBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

TEST(ByteBuffer, IsEmptyAtFirst) {
  const ByteBuffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_EQ(buffer.begin(), buffer.end());
}

TEST(ByteBuffer, AppendsAndKeepsWhatIsThere) {
  ByteBuffer buffer(bytes_of("one"));
  buffer.append(bytes_of(""));
  buffer.append(bytes_of(" two"));
  EXPECT_EQ(text_of(buffer), "one two");
}

TEST(ByteBuffer, KeepsItsBytesWhileItGrowsToMegabytes) {
  ByteBuffer buffer;
  std::string expected;
  for (int i = 0; i < 3'000; ++i) {
    const std::string piece(1'000, static_cast<char>('a' + i % 26));
    buffer.append(bytes_of(piece));
    expected += piece;
  }
  EXPECT_EQ(text_of(buffer), expected);
  EXPECT_LE(buffer.capacity(), buffer.size() * 3 / 2 + 1'000);
}

TEST(ByteBuffer, ReservesWhatIsAskedForAndNoMore) {
  ByteBuffer buffer(bytes_of("abc"));
  buffer.reserve(5'000'000);
  EXPECT_EQ(buffer.capacity(), 5'000'000U);
  buffer.reserve(10);
  EXPECT_EQ(buffer.capacity(), 5'000'000U);
  EXPECT_EQ(text_of(buffer), "abc");
}

TEST(ByteBuffer, ShrinksInSizeAndKeepsItsRoom) {
  ByteBuffer buffer;
  buffer.resize(100);
  std::memset(buffer.data(), 'x', buffer.size());
  buffer.resize(3);
  EXPECT_EQ(text_of(buffer), "xxx");
  EXPECT_EQ(buffer.capacity(), 100U);
}

TEST(ByteBuffer, LeavesNothingBehindWhenItIsMoved) {
  ByteBuffer buffer(bytes_of("abc"));
  ByteBuffer taken(std::move(buffer));
  EXPECT_EQ(text_of(taken), "abc");
  EXPECT_TRUE(buffer.empty());  // NOLINT(bugprone-use-after-move): what is left is part of the contract
  buffer.append(bytes_of("new"));
  taken = std::move(buffer);
  EXPECT_EQ(text_of(taken), "new");
  EXPECT_EQ(buffer.capacity(), 0U);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace optimux::base
