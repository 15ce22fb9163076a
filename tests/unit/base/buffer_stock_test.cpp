#include "base/buffer_stock.hpp"

#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_buffer.hpp"

namespace optimux::base {
namespace {

MemoryPiece piece_of(std::size_t capacity) {
  MemoryPiece piece;
  piece.bytes.reset(static_cast<std::byte*>(std::malloc(capacity)));
  piece.capacity = capacity;
  return piece;
}

TEST(BufferStock, HasNothingAtFirst) {
  BufferStock stock(1'000);
  EXPECT_EQ(stock.take(10).capacity, 0U);
  EXPECT_EQ(stock.size(), 0U);
}

TEST(BufferStock, GivesOutWhatCameBack) {
  BufferStock stock(1'000);
  MemoryPiece piece = piece_of(100);
  const std::byte* const address = piece.bytes.get();
  stock.give_back(std::move(piece));
  EXPECT_EQ(stock.size(), 100U);
  const MemoryPiece again = stock.take(100);
  EXPECT_EQ(again.bytes.get(), address);
  EXPECT_EQ(again.capacity, 100U);
  EXPECT_EQ(stock.size(), 0U);
}

TEST(BufferStock, GivesThePieceThatWasUsedLastOfThoseThatFit) {
  BufferStock stock(10'000);
  for (const std::size_t capacity : {150, 180, 90, 500}) stock.give_back(piece_of(capacity));
  EXPECT_EQ(stock.take(100).capacity, 180U);
  EXPECT_EQ(stock.take(100).capacity, 150U);
}

TEST(BufferStock, GivesTheLargestWhereNoneIsLargeEnough) {
  BufferStock stock(10'000);
  for (const std::size_t capacity : {90, 120, 100}) stock.give_back(piece_of(capacity));
  EXPECT_EQ(stock.take(1'000).capacity, 120U);
  EXPECT_EQ(stock.take(1'000).capacity, 100U);
  EXPECT_EQ(stock.take(1'000).capacity, 90U);
  EXPECT_EQ(stock.take(1'000).capacity, 0U);
}

TEST(BufferStock, GivesAtMostTwiceWhatIsAskedFor) {
  BufferStock stock(1'000);
  stock.give_back(piece_of(202));
  EXPECT_EQ(stock.take(100).capacity, 0U) << "more than twice as many";
  EXPECT_EQ(stock.take(101).capacity, 202U);
}

TEST(BufferStock, PushesOutTheOldestWhereItIsFull) {
  BufferStock stock(1'000);
  for (const std::size_t capacity : {400, 300, 290}) stock.give_back(piece_of(capacity));
  stock.give_back(piece_of(700));
  EXPECT_EQ(stock.size(), 990U);
  EXPECT_EQ(stock.take(400).capacity, 700U);
  EXPECT_EQ(stock.take(290).capacity, 290U);
  EXPECT_EQ(stock.size(), 0U);
}

TEST(BufferStock, KeepsNothingThatIsLargerThanAllOfIt) {
  BufferStock stock(1'000);
  stock.give_back(piece_of(600));
  stock.give_back(piece_of(1'001));
  EXPECT_EQ(stock.size(), 600U);
}

TEST(BufferStock, MayBeUsedInAllThreads) {
  constexpr int kRounds = 2'000;
  BufferStock stock(1'000);
  const auto use = [&stock] {
    for (int i = 0; i < kRounds; ++i) {
      MemoryPiece piece = stock.take(100);
      if (piece.capacity == 0) piece = piece_of(100);
      piece.bytes.get()[0] = std::byte{1};
      stock.give_back(std::move(piece));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(use);
  }
  EXPECT_LE(stock.size(), 400U);
}

TEST(BufferStock, IsWhereABufferGetsItsMemoryAndLeavesIt) {
  const auto stock = std::make_shared<BufferStock>(1'000);
  const std::byte* address = nullptr;
  {
    ByteBuffer buffer(stock);
    buffer.resize(100);
    address = buffer.data();
  }
  EXPECT_EQ(stock->size(), 100U);
  ByteBuffer buffer(stock);
  buffer.resize(60);
  EXPECT_EQ(buffer.data(), address);
  EXPECT_EQ(buffer.size(), 60U);
  EXPECT_EQ(buffer.capacity(), 100U);
  const ByteBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), address);
  EXPECT_EQ(stock->size(), 0U);
}

TEST(BufferStock, LetsABufferGrowBeyondItsPiece) {
  const auto stock = std::make_shared<BufferStock>(10'000);
  stock->give_back(piece_of(100));
  {
    ByteBuffer buffer(stock);
    buffer.resize(80);
    buffer.data()[79] = std::byte{42};
    buffer.resize(3'000);
    EXPECT_EQ(buffer.data()[79], std::byte{42});
    buffer = ByteBuffer(stock);
    EXPECT_EQ(stock->size(), 3'000U) << "an assignment gives back as well";
  }
  EXPECT_EQ(stock->size(), 3'000U);
}

}  // namespace
}  // namespace optimux::base
