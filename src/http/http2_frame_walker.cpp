#include "http/http2_frame_walker.hpp"

#include <algorithm>
#include <utility>

namespace optimux::http {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t offset, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = offset; i < offset + size; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

Http2FrameHead parse_head(const std::string& bytes) {
  Http2FrameHead head;
  head.length = number_at(bytes, 0, 3);
  head.type = static_cast<Http2FrameType>(bytes[3]);
  head.flags = static_cast<std::uint8_t>(bytes[4]);
  head.stream = static_cast<std::int32_t>(number_at(bytes, 5, 4) & 0x7fffffffU);
  return head;
}

bool is_kept(Http2FrameType type) {
  return type == Http2FrameType::kPriority || type == Http2FrameType::kPriorityUpdate;
}

void append(std::string& text, std::span<const std::byte> bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Http2FrameWalker::Step Http2FrameWalker::walk(std::span<const std::byte> bytes) {
  Step step;
  step.bytes = std::min(preface_left_, bytes.size());
  preface_left_ -= step.bytes;
  if (head_bytes_.size() < kHeadBytes) {
    if (!take_head(bytes, step.bytes)) return step;
    step.begun = frame_.head;
  }
  take_payload(bytes, step.bytes);
  if (payload_left_ > 0) return step;
  head_bytes_.clear();
  step.ended = std::exchange(frame_, {});
  return step;
}

/// True when the head is whole.
bool Http2FrameWalker::take_head(std::span<const std::byte> bytes, std::size_t& used) {
  const std::size_t count = std::min(kHeadBytes - head_bytes_.size(), bytes.size() - used);
  append(head_bytes_, bytes.subspan(used, count));
  used += count;
  if (head_bytes_.size() < kHeadBytes) return false;
  frame_.head = parse_head(head_bytes_);
  payload_left_ = frame_.head.length;
  return true;
}

void Http2FrameWalker::take_payload(std::span<const std::byte> bytes, std::size_t& used) {
  const std::size_t count = std::min(payload_left_, bytes.size() - used);
  if (is_kept(frame_.head.type)) {
    append(frame_.payload, bytes.subspan(used, std::min(count, kMostPayload - frame_.payload.size())));
  }
  used += count;
  payload_left_ -= count;
}

}  // namespace optimux::http
