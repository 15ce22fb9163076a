#include "http/http2_frame_walker.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

std::string frame(Http2FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
  std::string bytes;
  for (const int shift : {16, 8, 0}) bytes += static_cast<char>(payload.size() >> shift);
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(stream >> shift);
  return bytes + payload;
}

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::vector<Http2FrameWalker::Frame> walk(Http2FrameWalker& walker, const std::string& bytes, std::size_t at_once) {
  std::vector<Http2FrameWalker::Frame> frames;
  std::size_t position = 0;
  while (position < bytes.size()) {
    const auto part = std::as_bytes(std::span(bytes).subspan(position, std::min(at_once, bytes.size() - position)));
    auto step = walker.walk(part);
    EXPECT_GT(step.bytes, 0u);
    position += step.bytes;
    if (step.ended) frames.push_back(std::move(*step.ended));
  }
  return frames;
}

TEST(Http2FrameWalker, FindsTheSameFramesHoweverTheBytesAreCut) {
  const std::string bytes = kPreface + frame(Http2FrameType::kSettings, 0, 0, "") +
                            frame(Http2FrameType::kPriority, 0, 5, "abcde") +
                            frame(Http2FrameType::kData, Http2FrameHead::kEndStream, 7, std::string(300, 'x')) +
                            frame(static_cast<Http2FrameType>(0x77), 0xff, 0x80000009, "");
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{7}, std::size_t{24}, std::size_t{1000}}) {
    Http2FrameWalker walker;
    const auto frames = walk(walker, bytes, at_once);
    ASSERT_EQ(frames.size(), 4u) << at_once;
    EXPECT_EQ(frames[0].head.type, Http2FrameType::kSettings);
    EXPECT_EQ(frames[1].head.stream, 5);
    EXPECT_EQ(frames[1].payload, "abcde");
    EXPECT_EQ(frames[2].head.length, 300u);
    EXPECT_TRUE(frames[2].head.has(Http2FrameHead::kEndStream));
    EXPECT_EQ(frames[2].payload, "");
    EXPECT_EQ(frames[3].head.type, static_cast<Http2FrameType>(0x77));
    EXPECT_EQ(frames[3].head.stream, 9);  // The first bit is reserved.
  }
}

TEST(Http2FrameWalker, StopsBehindEachFrame) {
  const std::string one = frame(Http2FrameType::kPing, 0, 0, "12345678");
  Http2FrameWalker walker;
  walk(walker, kPreface, 100);
  const std::string two = one + one;
  const auto step = walker.walk(std::as_bytes(std::span(two)));
  EXPECT_EQ(step.bytes, one.size());
  EXPECT_TRUE(step.ended.has_value());
}

TEST(Http2FrameWalker, KeepsNoMoreOfAPayloadThanItHasAUseFor) {
  Http2FrameWalker walker;
  const auto frames =
      walk(walker, kPreface + frame(Http2FrameType::kPriorityUpdate, 0, 0, std::string(5000, 'p')), 100);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].head.length, 5000u);
  EXPECT_EQ(frames[0].payload, std::string(Http2FrameWalker::kMostPayload, 'p'));
}

}  // namespace
}  // namespace optimux::http
