#include "http/http2_flood_guard.hpp"

#include <algorithm>

namespace optimux::http {
namespace {

/// A client may tell stream and connection of room for each frame that it was sent.
constexpr double kUpdatesAFrame = 2;
/// Browsers widen the window of each stream as it opens.
constexpr double kUpdatesAStream = 2;
/// Browsers change their mind when a page is laid out and whenever it is scrolled.
constexpr double kPrioritiesAStream = 4;

}  // namespace

std::string_view name_of(Http2Flood flood) {
  switch (flood) {
    case Http2Flood::kResets: return "resets";
    case Http2Flood::kErrors: return "errors";
    case Http2Flood::kControl: return "control";
    case Http2Flood::kEmptyData: return "empty_data";
    case Http2Flood::kWindowUpdates: return "window_updates";
    case Http2Flood::kPriorities: return "priorities";
    case Http2Flood::kContinuations: return "continuations";
    case Http2Flood::kFields: return "fields";
  }
  return "unknown";
}

Http2FloodGuard::Http2FloodGuard(const Http2FloodLimits& limits, Time now)
    : buckets_{{{limits.resets, 0, now},
                {limits.errors, 0, now},
                {limits.control, 0, now},
                {limits.empty_data, 0, now},
                {limits.window_updates, 0, now},
                {limits.priorities, 0, now}}},
      max_field_bytes_(limits.max_field_bytes),
      max_continuations_(limits.max_continuations) {
  for (Bucket& bucket : buckets_) bucket.tokens = bucket.limit.burst;
}

std::optional<Http2Flood> Http2FloodGuard::receive(const Http2FrameHead& head, Time now) {
  if (head.type != Http2FrameType::kContinuation) continuations_ = 0;
  switch (head.type) {
    case Http2FrameType::kData:
      if (head.length > 0 || head.has(Http2FrameHead::kEndStream)) return std::nullopt;
      return spend(Http2Flood::kEmptyData, now);
    case Http2FrameType::kHeaders: return std::nullopt;  // Streams have limits of their own.
    case Http2FrameType::kPriority:
    case Http2FrameType::kPriorityUpdate: return spend(Http2Flood::kPriorities, now);
    case Http2FrameType::kRstStream: return spend(Http2Flood::kResets, now);
    case Http2FrameType::kWindowUpdate: return spend(Http2Flood::kWindowUpdates, now);
    case Http2FrameType::kContinuation:
      if (++continuations_ > max_continuations_) return Http2Flood::kContinuations;
      return std::nullopt;
    case Http2FrameType::kSettings:
    case Http2FrameType::kPing:
    case Http2FrameType::kPushPromise:
    case Http2FrameType::kGoaway: break;
  }
  return spend(Http2Flood::kControl, now);
}

std::optional<Http2Flood> Http2FloodGuard::receive_field(std::size_t bytes) {
  field_bytes_ += bytes;
  return field_bytes_ > max_field_bytes_ ? std::optional(Http2Flood::kFields) : std::nullopt;
}

void Http2FloodGuard::open_stream() {
  earn(Http2Flood::kWindowUpdates, kUpdatesAStream);
  earn(Http2Flood::kPriorities, kPrioritiesAStream);
}

void Http2FloodGuard::send_data() {
  earn(Http2Flood::kWindowUpdates, kUpdatesAFrame);
}

std::optional<Http2Flood> Http2FloodGuard::spend(Http2Flood flood, Time now) {
  Bucket& bucket = buckets_[static_cast<std::size_t>(flood)];
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.filled = now;
  earn(flood, seconds * bucket.limit.per_second);
  if (bucket.tokens < 1) return flood;
  bucket.tokens -= 1;
  return std::nullopt;
}

/// What was earned beyond the burst is lost, or a long quiet time would allow a flood.
void Http2FloodGuard::earn(Http2Flood flood, double tokens) {
  Bucket& bucket = buckets_[static_cast<std::size_t>(flood)];
  bucket.tokens = std::min<double>(bucket.limit.burst, bucket.tokens + tokens);
}

}  // namespace optimux::http
