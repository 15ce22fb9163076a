#include "http/http2_stream_history.hpp"

#include <algorithm>

namespace optimux::http {

std::optional<Http2StreamHistory::Offence> Http2StreamHistory::receive(const Http2FrameHead& head) {
  const bool is_headers = head.type == Http2FrameType::kHeaders;
  const bool is_continuation = head.type == Http2FrameType::kContinuation;
  if (is_in_block_ && !is_continuation) return std::nullopt;
  if (is_headers || is_continuation) is_in_block_ = !head.has(Http2FrameHead::kEndHeaders);
  const bool carries_request = is_headers || head.type == Http2FrameType::kData;
  // Windows and priorities may come at any time: the client need not know that the answer has ended.
  if (!carries_request && head.type != Http2FrameType::kRstStream) return std::nullopt;
  if (is_headers) open(head.stream);
  Fate* const fate = find(head.stream);
  if (fate == nullptr) return std::nullopt;
  if (!carries_request) {
    if (*fate == Fate::kOpened) *fate = Fate::kReset;
    return std::nullopt;
  }
  switch (*fate) {
    case Fate::kPassedOver: return Offence{Http2Error::kProtocolError, true};  // Section 5.1.1.
    case Fate::kEnded: return Offence{Http2Error::kStreamClosed, true};
    case Fate::kReset: return Offence{Http2Error::kStreamClosed, false};
    case Fate::kOpened: break;
  }
  if (head.has(Http2FrameHead::kEndStream)) *fate = Fate::kEnded;
  return std::nullopt;
}

/// Does nothing for a stream that was opened before or cannot be.
void Http2StreamHistory::open(std::int32_t stream) {
  if (stream % 2 == 0 || stream <= last_) return;
  const auto passed_over = static_cast<std::size_t>((stream - last_) / 2 - 1);
  fates_.insert(fates_.end(), std::min(passed_over, kRemembered), Fate::kPassedOver);
  fates_.push_back(Fate::kOpened);
  while (fates_.size() > kRemembered) fates_.pop_front();
  last_ = stream;
}

Http2StreamHistory::Fate* Http2StreamHistory::find(std::int32_t stream) {
  if (stream % 2 == 0 || stream > last_) return nullptr;
  const auto from_last = static_cast<std::size_t>((last_ - stream) / 2);
  return from_last < fates_.size() ? &fates_[fates_.size() - 1 - from_last] : nullptr;
}

}  // namespace optimux::http
