#include "http/http2_priority_signals.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

Http2FrameWalker::Frame frame(Http2FrameType type, std::int32_t stream, std::string payload) {
  const auto length = static_cast<std::uint32_t>(payload.size());
  return {{length, type, 0, stream}, std::move(payload)};
}

TEST(Http2PrioritySignals, ReadsPriorityUpdate) {
  const auto reading = read_priority_signal(frame(
      Http2FrameType::kPriorityUpdate, 0, std::string("\x80\x00\x01\x01u=1, i", 10)));  // The first bit is reserved.
  const auto& signal = std::get<PrioritySignal>(reading);
  EXPECT_EQ(signal.stream, 257);
  EXPECT_TRUE(signal.is_complete);
  EXPECT_EQ(signal.parameters, (PriorityParameters{1, true}));
}

TEST(Http2PrioritySignals, AFieldThatWasCutSaysNothing) {
  auto cut = frame(Http2FrameType::kPriorityUpdate, 0, std::string("\0\0\0\x01u=1", 7));
  cut.head.length = 5'000;
  EXPECT_EQ(std::get<PrioritySignal>(read_priority_signal(cut)).parameters, PriorityParameters());
}

TEST(Http2PrioritySignals, ReadsTheWeightsOfChromium) {
  const int weights[] = {256, 220, 183, 147, 110};
  for (int urgency = 0; urgency < 5; ++urgency) {
    const std::string payload = std::string("\x80\x00\x00\x05", 4) + static_cast<char>(weights[urgency] - 1);
    const auto reading = read_priority_signal(frame(Http2FrameType::kPriority, 7, payload));
    const auto& signal = std::get<PrioritySignal>(reading);
    EXPECT_EQ(signal.stream, 7);
    EXPECT_FALSE(signal.is_complete);
    EXPECT_EQ(signal.parameters, (PriorityParameters{urgency, std::nullopt}));
  }
}

TEST(Http2PrioritySignals, OtherFramesSayNothing) {
  const auto says_nothing = [](const Http2FrameWalker::Frame& any) {
    return std::holds_alternative<std::monostate>(read_priority_signal(any));
  };
  EXPECT_TRUE(says_nothing(frame(Http2FrameType::kPriority, 7, std::string("\x00\x00\x00\x05\xdb", 5))));
  EXPECT_TRUE(says_nothing(frame(Http2FrameType::kPriority, 7, std::string("\x80\x00\x00\x05\x0f", 5))));
  EXPECT_TRUE(says_nothing(frame(Http2FrameType::kPriority, 7, std::string("\x80\x00\x00\x05", 4))));
  EXPECT_TRUE(says_nothing(frame(Http2FrameType::kPing, 0, "12345678")));
}

TEST(EarlyPriorities, KeepTheLatestOfEachStream) {
  EarlyPriorities early;
  EXPECT_TRUE(early.keep({9, {1, std::nullopt}, true}, 2));
  EXPECT_TRUE(early.keep({5, {2, std::nullopt}, true}, 2));
  EXPECT_TRUE(early.keep({9, {3, std::nullopt}, true}, 2));
  EXPECT_FALSE(early.keep({7, {4, std::nullopt}, true}, 2));
  EXPECT_EQ(early.take(3), std::nullopt);
  EXPECT_EQ(early.take(9)->parameters.urgency, 3);
  EXPECT_EQ(early.size(), 0u);  // Stream 5 will never be opened.
}

}  // namespace
}  // namespace optimux::http
