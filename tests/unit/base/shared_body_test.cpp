#include "base/shared_body.hpp"

#include <atomic>
#include <latch>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Reads all that is there, in pieces of at most `step` bytes.
std::string drain(SharedBody::Reader& reader, std::size_t step = SIZE_MAX) {
  std::string text;
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    const auto taken = piece.first(std::min(step, piece.size()));
    text += text_of(taken);
    reader.consume(taken.size());
  }
  return text;
}

// Blocks until the body has ended and returns what could be read of it, as a connection would on its event loop.
std::string read_to_end(SharedBody::Reader& reader) {
  std::string text;
  for (;;) {
    reader.acknowledge_head();
    text += drain(reader);
    if (reader.body().is_finished() && reader.peek().empty()) return text;
    const auto woken = std::make_shared<std::latch>(1);
    const bool waits = reader.wait([woken] { woken->count_down(); });
    if (waits) woken->wait();
  }
}

class SharedBodyTest : public testing::Test {
 protected:
  std::shared_ptr<SharedBody> body_ = std::make_shared<SharedBody>();
};

TEST_F(SharedBodyTest, SharesBytesOfAnother) {
  auto other = std::make_shared<SharedBody>();
  other->start({.content_type = "image/webp", .width = 3, .height = 2});
  other->append(bytes_of("shared "));
  other->complete();
  const std::weak_ptr<SharedBody> alive = other;
  auto reader = body_->attach();
  body_->start({.content_type = "image/webp", .width = 3, .height = 2});
  reader.acknowledge_head();
  body_->append(bytes_of("own "));
  const auto piece = other->attach().peek();
  EXPECT_EQ(drain(reader), "own ");
  bool is_woken = false;
  ASSERT_TRUE(reader.wait([&] { is_woken = true; }));
  body_->append_of(other, {});
  EXPECT_FALSE(is_woken);
  body_->append_of(other, piece);
  EXPECT_TRUE(is_woken);
  other.reset();
  body_->append(bytes_of("own again"));
  body_->complete();
  EXPECT_EQ(body_->size(), 20u);
  EXPECT_EQ(reader.peek().data(), piece.data()) << "without a copy";
  EXPECT_EQ(drain(reader), "shared own again");
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(alive.expired());
  reader = {};
  body_.reset();
  EXPECT_TRUE(alive.expired());
}

TEST_F(SharedBodyTest, GivesEveryReaderAllBytesAtItsOwnPace) {
  auto early = body_->attach();
  body_->start({.content_type = "image/webp", .width = 3, .height = 2});
  body_->append(bytes_of("hello "));
  EXPECT_EQ(drain(early), "hello ");
  body_->append(bytes_of("world"));
  body_->complete();
  auto late = body_->attach();
  EXPECT_EQ(drain(early), "world");
  EXPECT_EQ(drain(late, 3), "hello world");
  EXPECT_TRUE(early.at_end());
  EXPECT_TRUE(late.at_end());
  EXPECT_EQ(body_->head()->content_type, "image/webp");
}

TEST_F(SharedBodyTest, PiecesStayWhereTheyAreWhileMoreIsAppended) {
  body_->start({});
  body_->append(bytes_of("first"));
  auto reader = body_->attach();
  const auto piece = reader.peek();
  for (int i = 0; i < 1000; ++i) body_->append(bytes_of(std::string(997, 'x')));
  EXPECT_EQ(text_of(piece), "first");
}

TEST_F(SharedBodyTest, AnyCutsOfTheInputGiveTheSameBody) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    auto body = std::make_shared<SharedBody>();
    body->start({});
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      const std::string piece(random() % 9000, static_cast<char>('a' + i % 26));
      body->append(bytes_of(piece));
      expected += piece;
    }
    body->complete();
    auto reader = body->attach();
    EXPECT_EQ(drain(reader, 1 + random() % 5000), expected);
    EXPECT_EQ(body->size(), expected.size());
    EXPECT_GE(body->memory_size(), body->size());
    EXPECT_LE(body->memory_size(), 2 * body->size() + 4096);
  }
}

TEST_F(SharedBodyTest, WhatIsAdoptedIsNotCopied) {
  const auto bytes = std::make_shared<const ByteBuffer>(bytes_of("in one piece"));
  body_->start({});
  body_->append(bytes_of("before, "));
  body_->adopt(bytes);
  body_->adopt(std::make_shared<const ByteBuffer>());
  body_->append(bytes_of(", behind"));
  body_->complete();
  auto reader = body_->attach();
  const auto pieces = reader.peek_many(9);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[1].data(), bytes->data());
  EXPECT_EQ(drain(reader), "before, in one piece, behind");
  EXPECT_EQ(body_->size(), 28U);
  EXPECT_GE(body_->memory_size(), body_->size());
}

TEST_F(SharedBodyTest, WhatIsAdoptedLivesAsLongAsTheBodyAndWakesReaders) {
  auto reader = body_->attach();
  body_->start({});
  reader.acknowledge_head();
  bool is_woken = false;
  ASSERT_TRUE(reader.wait([&] { is_woken = true; }));
  body_->adopt(std::make_shared<const ByteBuffer>(bytes_of("bytes")));
  EXPECT_TRUE(is_woken);
  EXPECT_EQ(text_of(reader.peek()), "bytes");
  body_->fail({ErrorCode::kCancelled, "", ""});
  body_->adopt(std::make_shared<const ByteBuffer>(bytes_of("more")));
  EXPECT_EQ(body_->size(), 5U);
}

TEST_F(SharedBodyTest, PeekManyShowsTheBlocksFromThePlaceOn) {
  body_->start({});
  const std::string text(200'000, 'z');
  body_->append(bytes_of(text));
  auto reader = body_->attach();
  reader.consume(10);
  std::size_t total = 0;
  const auto pieces = reader.peek_many(100);
  for (const auto& piece : pieces) total += piece.size();
  EXPECT_EQ(total, text.size() - 10);
  EXPECT_GT(pieces.size(), 1u);
  EXPECT_EQ(reader.peek_many(2).size(), 2u);
}

TEST_F(SharedBodyTest, AFailureIsSeenByAllAndEndsTheBody) {
  auto reader = body_->attach();
  body_->start({});
  body_->append(bytes_of("half"));
  body_->fail({.code = ErrorCode::kBrokenMedia, .detail = "the picture is cut off", .cause = {}});
  body_->append(bytes_of("ignored"));
  body_->complete();
  EXPECT_EQ(body_->state(), SharedBody::State::kFailed);
  EXPECT_EQ(drain(reader), "half");
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(body_->error()->code, ErrorCode::kBrokenMedia);
}

TEST_F(SharedBodyTest, ACompleteBodyCannotFailAnyMore) {
  body_->start({});
  body_->complete();
  body_->fail({});
  EXPECT_EQ(body_->state(), SharedBody::State::kComplete);
}

TEST_F(SharedBodyTest, WakesAReaderOnceForEachThingToSee) {
  auto reader = body_->attach();
  int wakes = 0;
  const auto wake = [&wakes] { ++wakes; };
  ASSERT_TRUE(reader.wait(wake));
  body_->start({});
  EXPECT_EQ(wakes, 1);
  EXPECT_FALSE(reader.wait(wake)) << "the head is there to be seen";
  reader.acknowledge_head();
  ASSERT_TRUE(reader.wait(wake));
  body_->append(bytes_of("a"));
  body_->append(bytes_of("b"));
  EXPECT_EQ(wakes, 2);
  EXPECT_FALSE(reader.wait(wake)) << "there are bytes to be read";
  reader.consume(2);
  ASSERT_TRUE(reader.wait(wake));
  body_->complete();
  EXPECT_EQ(wakes, 3);
  EXPECT_FALSE(reader.wait(wake)) << "the end is there to be seen";
}

TEST_F(SharedBodyTest, ACancelledWaitIsNotWoken) {
  auto reader = body_->attach();
  bool woken = false;
  ASSERT_TRUE(reader.wait([&woken] { woken = true; }));
  reader.cancel_wait();
  body_->start({});
  EXPECT_FALSE(woken);
}

TEST_F(SharedBodyTest, TellsWhenTheLastReaderLeavesBeforeTheEnd) {
  int abandoned = 0;
  body_->on_abandoned([&abandoned] { ++abandoned; });
  auto first = body_->attach();
  auto second = body_->attach();
  first = SharedBody::Reader();
  EXPECT_EQ(abandoned, 0);
  auto moved = std::move(second);
  EXPECT_EQ(body_->reader_count(), 1);
  moved = SharedBody::Reader();
  EXPECT_EQ(abandoned, 1);
  auto again = body_->attach();
  body_->start({});
  body_->complete();
  again = SharedBody::Reader();
  EXPECT_EQ(abandoned, 1) << "nobody is missing from a finished body";
}

TEST_F(SharedBodyTest, ALeavingReaderTakesItsWakeUpWithIt) {
  bool woken = false;
  {
    auto reader = body_->attach();
    ASSERT_TRUE(reader.wait([&woken] { woken = true; }));
  }
  body_->start({});
  EXPECT_FALSE(woken);
}

TEST_F(SharedBodyTest, OneProducerAndManyReadersInThreadsOfTheirOwn) {
  constexpr int kReaders = 8;
  const std::string piece(1500, 'p');
  std::vector<SharedBody::Reader> readers;
  for (int i = 0; i < kReaders; ++i) readers.push_back(body_->attach());
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (auto& reader : readers) {
    threads.emplace_back([&reader, &right] { right += read_to_end(reader).size() == 300u * 1500u ? 1 : 0; });
  }
  body_->start({});
  for (int i = 0; i < 300; ++i) body_->append(bytes_of(piece));
  body_->complete();
  threads.clear();
  EXPECT_EQ(right, kReaders);
}

TEST_F(SharedBodyTest, WithoutPhasesAllBytesAreTheRest) {
  auto reader = body_->attach();
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kFull, std::nullopt}));
  body_->start({});
  body_->append(bytes_of("bytes"));
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kFull, std::nullopt}));
  body_->complete();
  EXPECT_EQ(body_->phase_at(3), (PhaseSpan{Phase::kFull, 5}));
}

TEST_F(SharedBodyTest, TellsThePhaseOfAReadersPlace) {
  body_->start({.has_phases = true});
  body_->end_phase(Phase::kHead, 4);
  auto reader = body_->attach();
  body_->append(bytes_of("headfirst"));
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kHead, 4}));
  reader.consume(4);
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kFirst, std::nullopt})) << "its end is unknown";
  body_->end_phase(Phase::kFirst, 9);
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kFirst, 9}));
  reader.consume(5);
  EXPECT_EQ(reader.phase(), (PhaseSpan{Phase::kGood, std::nullopt}));
}

TEST_F(SharedBodyTest, AFinishedBodyKeepsItsPhases) {
  body_->start({.has_phases = true});
  body_->end_phase(Phase::kHead, 2);
  body_->append(bytes_of("0123456789"));
  body_->end_phase(Phase::kGood, 6);
  body_->complete();
  EXPECT_EQ(body_->phase_at(0), (PhaseSpan{Phase::kHead, 2}));
  EXPECT_EQ(body_->phase_at(2), (PhaseSpan{Phase::kFirst, 6}));
  EXPECT_EQ(body_->phase_at(5), (PhaseSpan{Phase::kFirst, 6}));
  EXPECT_EQ(body_->phase_at(6), (PhaseSpan{Phase::kFull, 10}));
}

TEST_F(SharedBodyTest, TheEndEndsAPhaseThatNothingElseHasEnded) {
  body_->start({.has_phases = true});
  body_->append(bytes_of("01234"));
  body_->complete();
  EXPECT_EQ(body_->phase_at(1), (PhaseSpan{Phase::kHead, 5}));
}

TEST_F(SharedBodyTest, AFailedBodyHasNoMorePhases) {
  body_->fail({});
  body_->end_phase(Phase::kHead, 1);
  EXPECT_EQ(body_->phase_at(0), (PhaseSpan{Phase::kFull, std::nullopt}));
}

TEST_F(SharedBodyTest, PhasesTakeNoMemoryThatIsNotCounted) {
  body_->start({.has_phases = true});
  body_->append(bytes_of("01234"));
  const auto before = body_->memory_size();
  for (const Phase phase : {Phase::kHead, Phase::kFirst, Phase::kGood}) body_->end_phase(phase, 5);
  EXPECT_EQ(body_->memory_size(), before);
  static_assert(sizeof(PhaseEnds) <= 32, "part of the body object, which caches count as a whole");
}

// Every byte of the body is the number of its phase, which every reader compares.
TEST_F(SharedBodyTest, NoReaderSeesAByteWithoutItsPhase) {
  constexpr int kReaders = 4;
  constexpr std::size_t kPhaseBytes = 5'000;
  std::atomic<int> wrong = 0;
  const auto check = [&wrong](SharedBody::Reader& reader) {
    for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
      const PhaseSpan span = reader.phase();
      const std::size_t count = span.end ? std::min<std::size_t>(piece.size(), *span.end - reader.offset()) : 1;
      for (const std::byte byte : piece.first(count)) wrong += std::to_integer<int>(byte) == int(span.phase) ? 0 : 1;
      reader.consume(count);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < kReaders; ++i) {
    threads.emplace_back([&check, reader = body_->attach()]() mutable {
      while (!reader.at_end()) {
        reader.acknowledge_head();
        check(reader);
        const auto woken = std::make_shared<std::latch>(1);
        if (reader.wait([woken] { woken->count_down(); })) woken->wait();
      }
    });
  }
  body_->start({.has_phases = true});
  for (int phase = 0; phase < kPhases; ++phase) {
    const std::vector<std::byte> piece(100, std::byte(phase));
    for (std::size_t i = 0; i < kPhaseBytes / piece.size(); ++i) {
      const bool is_last = i + 1 == kPhaseBytes / piece.size() && phase + 1 < kPhases;
      if (is_last) body_->end_phase(static_cast<Phase>(phase), body_->size() + piece.size());
      body_->append(piece);
    }
  }
  body_->complete();
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(SharedBody, ReadersAreWokenForWhatIsNotTheBody) {
  const auto body = std::make_shared<SharedBody>();
  auto reader = body->attach();
  int woken = 0;
  EXPECT_TRUE(reader.wait([&] { ++woken; }));
  body->wake_readers();
  body->wake_readers();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(body->state(), SharedBody::State::kPending);
}

}  // namespace
}  // namespace optimux::base
