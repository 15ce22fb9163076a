#include "http/http2_priority_signals.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace optimux::http {
namespace {

constexpr std::size_t kUpdateHead = 4;     ///< Of PRIORITY_UPDATE, before the field: the stream.
constexpr std::size_t kPriorityBytes = 5;  ///< Of PRIORITY: the exclusive bit, the stream depended on, the weight.

/// Chromium's weights by urgency.
constexpr std::array<int, 5> kChromiumWeights = {256, 220, 183, 147, 110};

std::uint32_t word_at(std::string_view bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8U | static_cast<unsigned char>(bytes[i]);
  return word;
}

using Reading = std::variant<std::monostate, PrioritySignal, Http2Error>;

Reading read_priority_update(const Http2FrameWalker::Frame& frame) {
  if (frame.head.stream != 0) return Http2Error::kProtocolError;
  if (frame.head.length < kUpdateHead) return Http2Error::kFrameSizeError;
  const auto stream = static_cast<std::int32_t>(word_at(frame.payload) & 0x7fffffffU);
  // Streams with even numbers are pushed, and nothing is pushed here.
  if (stream % 2 == 0) return Http2Error::kProtocolError;
  PrioritySignal signal{stream, {}, true};
  const bool is_whole = frame.payload.size() == frame.head.length;
  if (is_whole) signal.parameters = parse_priority_field(std::string_view(frame.payload).substr(kUpdateHead));
  return signal;
}

Reading read_priority(const Http2FrameWalker::Frame& frame) {
  if (frame.head.stream == 0) return Http2Error::kProtocolError;  // RFC 9113, section 6.3; the library drops it.
  if (frame.payload.size() != kPriorityBytes) return std::monostate{};
  const std::uint32_t word = word_at(frame.payload);
  const bool is_exclusive = (word >> 31U) != 0;
  // RFC 7540, section 5.3.1: no stream depends on itself.
  if (static_cast<std::int32_t>(word & 0x7fffffffU) == frame.head.stream) return Http2Error::kProtocolError;
  const int weight = static_cast<unsigned char>(frame.payload[4]) + 1;
  const auto* const found = std::find(kChromiumWeights.begin(), kChromiumWeights.end(), weight);
  if (!is_exclusive || found == kChromiumWeights.end()) return std::monostate{};
  PrioritySignal signal{frame.head.stream, {}, false};
  signal.parameters.urgency = static_cast<int>(found - kChromiumWeights.begin());
  return signal;
}

}  // namespace

Reading read_priority_signal(const Http2FrameWalker::Frame& frame) {
  if (frame.head.type == Http2FrameType::kPriorityUpdate) return read_priority_update(frame);
  if (frame.head.type == Http2FrameType::kPriority) return read_priority(frame);
  return std::monostate{};
}

bool EarlyPriorities::keep(const PrioritySignal& signal, std::size_t most) {
  const auto place =
      std::lower_bound(signals_.begin(), signals_.end(), signal.stream,
                       [](const PrioritySignal& kept, std::int32_t stream) { return kept.stream < stream; });
  if (place != signals_.end() && place->stream == signal.stream) {
    *place = signal;
    return true;
  }
  if (signals_.size() >= most) return false;
  signals_.insert(place, signal);
  return true;
}

std::optional<PrioritySignal> EarlyPriorities::take(std::int32_t stream) {
  while (!signals_.empty() && signals_.front().stream < stream) signals_.pop_front();
  if (signals_.empty() || signals_.front().stream != stream) return std::nullopt;
  const PrioritySignal signal = signals_.front();
  signals_.pop_front();
  return signal;
}

}  // namespace optimux::http
