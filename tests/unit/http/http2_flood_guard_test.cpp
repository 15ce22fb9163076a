#include "http/http2_flood_guard.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

using std::chrono::milliseconds;

const Http2FloodGuard::Time kStart{std::chrono::hours(1)};

Http2FloodLimits small_limits() {
  Http2FloodLimits limits;
  limits.resets = {3, 2};
  limits.errors = {2, 1};
  limits.control = {2, 1};
  limits.empty_data = {2, 1};
  limits.window_updates = {2, 1};
  limits.priorities = {2, 1};
  limits.max_continuations = 2;
  return limits;
}

Http2FrameHead head(Http2FrameType type, std::uint8_t flags = 0, std::uint32_t length = 0) {
  return {length, type, flags, 1};
}

/// How many frames of this kind pass at one moment.
int passing(Http2FloodGuard& guard, const Http2FrameHead& frame, Http2FloodGuard::Time now = kStart) {
  int count = 0;
  while (count < 1000 && !guard.receive(frame, now)) ++count;
  return count;
}

TEST(Http2FloodGuard, AllowsABurstAndThenARate) {
  Http2FloodGuard guard(small_limits(), kStart);
  const auto reset = head(Http2FrameType::kRstStream);
  EXPECT_EQ(passing(guard, reset), 3);
  EXPECT_EQ(guard.receive(reset, kStart), Http2Flood::kResets);
  EXPECT_EQ(passing(guard, reset, kStart + milliseconds(499)), 0);
  EXPECT_EQ(passing(guard, reset, kStart + milliseconds(1000)), 2);
  EXPECT_EQ(passing(guard, reset, kStart + std::chrono::hours(5)), 3);  // A long rest allows no more than the burst.
}

TEST(Http2FloodGuard, EveryKindHasABucketOfItsOwn) {
  Http2FloodGuard guard(small_limits(), kStart);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kPing)), 2);
  EXPECT_EQ(guard.receive(head(Http2FrameType::kSettings), kStart), Http2Flood::kControl);
  EXPECT_EQ(guard.receive(head(static_cast<Http2FrameType>(0xee)), kStart), Http2Flood::kControl);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kData)), 2);
  EXPECT_EQ(guard.receive(head(Http2FrameType::kData), kStart), Http2Flood::kEmptyData);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kWindowUpdate)), 2);
  EXPECT_EQ(guard.receive(head(Http2FrameType::kWindowUpdate), kStart), Http2Flood::kWindowUpdates);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kPriority)), 2);
  EXPECT_EQ(guard.receive(head(Http2FrameType::kPriorityUpdate), kStart), Http2Flood::kPriorities);
  EXPECT_EQ(guard.reset_stream(kStart), std::nullopt);
  EXPECT_EQ(guard.reset_stream(kStart), std::nullopt);
  EXPECT_EQ(guard.reset_stream(kStart), Http2Flood::kErrors);
}

TEST(Http2FloodGuard, FramesThatCarrySomethingAreFree) {
  Http2FloodGuard guard(small_limits(), kStart);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kData, 0, 1)), 1000);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kData, Http2FrameHead::kEndStream)), 1000);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kHeaders)), 1000);
}

TEST(Http2FloodGuard, RequestsAndDataEarnTheFramesThatBelongToThem) {
  Http2FloodGuard guard(small_limits(), kStart);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kWindowUpdate)), 2);
  guard.send_data();
  EXPECT_EQ(passing(guard, head(Http2FrameType::kWindowUpdate)), 2);
  guard.open_stream();
  EXPECT_EQ(passing(guard, head(Http2FrameType::kWindowUpdate)), 2);
  EXPECT_EQ(passing(guard, head(Http2FrameType::kPriority)), 2);
  guard.open_stream();
  EXPECT_EQ(passing(guard, head(Http2FrameType::kPriority)), 2);  // Four, but no more than the burst.
}

TEST(Http2FloodGuard, CountsTheContinuationsOfOneHead) {
  Http2FloodGuard guard(small_limits(), kStart);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(guard.receive(head(Http2FrameType::kHeaders), kStart), std::nullopt);
    EXPECT_EQ(guard.receive(head(Http2FrameType::kContinuation, 0, 100), kStart), std::nullopt);
    EXPECT_EQ(guard.receive(head(Http2FrameType::kContinuation, 0, 100), kStart), std::nullopt);
  }
  EXPECT_EQ(guard.receive(head(Http2FrameType::kContinuation, 0, 100), kStart), Http2Flood::kContinuations);
}

TEST(Http2FloodGuard, NamesAreStable) {
  EXPECT_EQ(name_of(Http2Flood::kResets), "resets");
  EXPECT_EQ(name_of(Http2Flood::kContinuations), "continuations");
}

}  // namespace
}  // namespace optimux::http
