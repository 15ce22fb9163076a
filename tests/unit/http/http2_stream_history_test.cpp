#include "http/http2_stream_history.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

using Offence = Http2StreamHistory::Offence;

class Http2StreamHistoryTest : public testing::Test {
 protected:
  std::optional<Offence> headers(std::int32_t stream, bool ends_stream = false) {
    const auto flags = static_cast<std::uint8_t>(Http2FrameHead::kEndHeaders | (ends_stream ? kEndStream : kNoFlag));
    return history_.receive({0, Http2FrameType::kHeaders, flags, stream});
  }
  std::optional<Offence> data(std::int32_t stream, bool ends_stream = false) {
    return history_.receive({0, Http2FrameType::kData, ends_stream ? kEndStream : kNoFlag, stream});
  }
  std::optional<Offence> other(Http2FrameType type, std::int32_t stream) {
    return history_.receive({0, type, kNoFlag, stream});
  }

  static constexpr std::uint8_t kNoFlag = 0;
  static constexpr std::uint8_t kEndStream = Http2FrameHead::kEndStream;
  static constexpr Offence kAfterEnd{Http2Error::kStreamClosed, true};
  static constexpr Offence kAfterReset{Http2Error::kStreamClosed, false};
  static constexpr Offence kPassedOver{Http2Error::kProtocolError, true};

  Http2StreamHistory history_;
};

TEST_F(Http2StreamHistoryTest, ARequestMayHaveABodyAndTrailers) {
  EXPECT_EQ(headers(1), std::nullopt);
  EXPECT_EQ(data(1), std::nullopt);
  EXPECT_EQ(headers(1, true), std::nullopt);
}

TEST_F(Http2StreamHistoryTest, NothingOfARequestFollowsItsEnd) {
  headers(1, true);
  EXPECT_EQ(data(1), kAfterEnd);
  EXPECT_EQ(headers(1), kAfterEnd);
  headers(3);
  data(3, true);
  EXPECT_EQ(data(3, true), kAfterEnd);
}

TEST_F(Http2StreamHistoryTest, NothingOfARequestFollowsItsReset) {
  headers(1);
  EXPECT_EQ(other(Http2FrameType::kRstStream, 1), std::nullopt);
  EXPECT_EQ(data(1), kAfterReset);
  EXPECT_EQ(headers(1, true), kAfterReset);
  headers(3, true);
  EXPECT_EQ(other(Http2FrameType::kRstStream, 3), std::nullopt);
  EXPECT_EQ(data(3), kAfterEnd);
}

TEST_F(Http2StreamHistoryTest, NumbersThatWerePassedOverAreGone) {
  headers(1, true);
  headers(7, true);
  EXPECT_EQ(headers(3), kPassedOver);
  EXPECT_EQ(data(5), kPassedOver);
  EXPECT_EQ(other(Http2FrameType::kRstStream, 5), std::nullopt);
  EXPECT_EQ(headers(5), kPassedOver);
  EXPECT_EQ(headers(9), std::nullopt);
}

TEST_F(Http2StreamHistoryTest, OtherFramesComeAtAnyTime) {
  headers(3, true);
  for (const auto type :
       {Http2FrameType::kWindowUpdate, Http2FrameType::kPriority, Http2FrameType::kPing, Http2FrameType::kSettings}) {
    for (const std::int32_t stream : {0, 1, 3, 5}) EXPECT_EQ(other(type, stream), std::nullopt);
  }
}

TEST_F(Http2StreamHistoryTest, WhatWasNeverOpenedIsNotJudged) {
  EXPECT_EQ(data(1), std::nullopt);
  EXPECT_EQ(other(Http2FrameType::kRstStream, 1), std::nullopt);
  EXPECT_EQ(headers(2, true), std::nullopt);
  EXPECT_EQ(data(2), std::nullopt);
  EXPECT_EQ(data(0), std::nullopt);
  EXPECT_EQ(headers(1), std::nullopt);  // Nothing of that has opened it.
}

TEST_F(Http2StreamHistoryTest, WhatInterruptsABlockOfFieldsIsNotJudged) {
  headers(1, true);
  history_.receive({0, Http2FrameType::kHeaders, kEndStream, 3});
  EXPECT_EQ(data(1), std::nullopt);
  EXPECT_EQ(headers(3), std::nullopt);
  history_.receive({0, Http2FrameType::kContinuation, kNoFlag, 3});
  EXPECT_EQ(data(3), std::nullopt);
  history_.receive({0, Http2FrameType::kContinuation, Http2FrameHead::kEndHeaders, 3});
  EXPECT_EQ(data(3), kAfterEnd);
}

TEST_F(Http2StreamHistoryTest, OldStreamsAreForgotten) {
  constexpr auto kCount = static_cast<std::int32_t>(Http2StreamHistory::kRemembered);
  for (std::int32_t i = 0; i <= kCount; ++i) headers(2 * i + 1, true);
  EXPECT_EQ(data(1), std::nullopt);
  EXPECT_EQ(data(3), kAfterEnd);
}

TEST_F(Http2StreamHistoryTest, TheLargestNumberIsOneLikeOthers) {
  constexpr std::int32_t kLargest = 0x7fffffff;
  headers(1, true);
  EXPECT_EQ(headers(kLargest), std::nullopt);
  EXPECT_EQ(data(kLargest, true), std::nullopt);
  EXPECT_EQ(data(kLargest), kAfterEnd);
  EXPECT_EQ(headers(kLargest - 2), kPassedOver);
  EXPECT_EQ(data(1), std::nullopt);
}

}  // namespace
}  // namespace optimux::http
