// What the client is sent: the other half of http2_session.cpp.
#include "http/http2_session.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace optimux::http {

void Http2Session::supply(StreamId stream, const Http2Supply& supply) {
  Stream* const found = find(stream);
  if (found == nullptr) return;
  assert(found->is_answered && found->supplied == 0 && !found->is_last && "supplies what is dry");
  found->is_last = supply.is_last;
  found->is_lasting = supply.is_lasting;
  for (const Bytes& piece : supply.pieces) {
    if (piece.empty()) continue;
    found->pieces.push_back(piece);
    found->supplied += piece.size();
  }
  if (found->supplied > 0) {
    scheduler_.append(stream, found->supplied, supply.phase);
  } else if (found->is_last) {
    ends_.push_back(stream);
  }
}

bool Http2Session::is_blocked(StreamId stream) const {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  const bool has_something = found->second.supplied > 0 || found->second.is_last;
  return has_something && adapter_.window_of(stream) <= 0;
}

void Http2Session::unblock(StreamId id, Stream& stream) {
  if (std::exchange(stream.is_blocked, false)) scheduler_.unblock(id);
}

std::optional<Http2Produced> Http2Session::produce(std::size_t most, Time now) {
  now_ = now;
  if (send_protocol()) return Http2Produced{};
  if (is_deaf_) return std::nullopt;  // Nothing follows a GOAWAY that was sent in anger.
  while (const auto grant = next_grant(most)) {
    if (const auto produced = use(*grant)) return produced;
  }
  return std::nullopt;
}

/// Everything but bodies. Each stream asks for its first turn meanwhile, and is told "not now".
bool Http2Session::send_protocol() {
  bool has_sent = false;
  for (Bytes bytes = adapter_.send(); !bytes.empty(); bytes = adapter_.send()) {
    output_.append(bytes);
    has_sent = true;
  }
  return has_sent;
}

/// Whose turn it is. The library would put a stream aside without a word whose window is closed, and the others would
/// wait for it; so that is looked at first.
std::optional<Http2Session::Grant> Http2Session::next_grant(std::size_t most) {
  if (adapter_.window() <= 0) return std::nullopt;
  for (const StreamId id : ends_) {
    if (adapter_.window_of(id) > 0) return Grant{id, 0};
  }
  while (const auto pick = scheduler_.pick(most)) {
    if (adapter_.window_of(pick->stream) > 0) return Grant{pick->stream, pick->bytes};
    streams_.at(pick->stream).is_blocked = true;
    scheduler_.block(pick->stream);
  }
  return std::nullopt;
}

/// Has the library make one frame of the stream that is granted a turn.
std::optional<Http2Produced> Http2Session::use(Grant grant) {
  grant_ = grant;
  adapter_.resume(grant.stream);
  send_protocol();
  const Grant used = *std::exchange(grant_, std::nullopt);
  if (!used.is_used) {
    // Not reached as far as anybody knows; a stream that cannot send must not hold up those that can.
    reset(used.stream, Http2Error::kInternalError);
    events_.emplace_back(Http2Reset{used.stream});
    return std::nullopt;
  }
  guard_.send_data();
  Http2Produced produced{used.stream, used.bytes, false, used.is_end};
  if (const Stream* const stream = find(used.stream)) produced.is_dry = stream->supplied == 0;
  return produced;
}

std::optional<Nghttp2Adapter::Events::DataTurn> Http2Session::on_data_turn(StreamId stream, std::size_t most) {
  if (!grant_ || grant_->stream != stream || grant_->is_used) return std::nullopt;
  const Stream& granted = streams_.at(stream);
  grant_->bytes = std::min({grant_->bytes, most, granted.supplied});
  grant_->is_end = granted.is_last && grant_->bytes == granted.supplied;
  grant_->is_used = true;
  return DataTurn{grant_->bytes, grant_->is_end};
}

void Http2Session::on_data_frame(StreamId id, Bytes head, std::size_t bytes) {
  output_.append(head);
  Stream& stream = streams_.at(id);
  for (std::size_t left = bytes; left > 0;) {
    Bytes& piece = stream.pieces.front();
    const std::size_t count = std::min(left, piece.size());
    stream.is_lasting ? output_.append_reference(id, piece.first(count)) : output_.append(piece.first(count));
    piece = piece.subspan(count);
    if (piece.empty()) stream.pieces.pop_front();
    left -= count;
  }
  stream.supplied -= bytes;
  if (bytes > 0) scheduler_.charge(id, bytes);
  if (!grant_->is_end) return;
  // The client has not sent all of its request and need not any more (RFC 9113, section 8.1).
  if (!stream.is_whole) adapter_.reset(id, Http2Error::kNoError);
  finish(id);
}

}  // namespace optimux::http
