#include <algorithm>
#include <vector>

#include "server/http2_connection_inner.hpp"

namespace optimux::server {
namespace {

using Clock = std::chrono::steady_clock;
using http::Http2Error;

/// Takes from `patience` what has passed of a wait, and begins or ends it. True when patience is at its end.
bool has_run_out(SendPatience& patience, std::optional<Clock::time_point>& since, bool is_waiting,
                 Clock::time_point now) {
  if (since) patience.waited(now - *since);
  since = is_waiting ? std::optional(now) : std::nullopt;
  return is_waiting && patience.end_of(now) <= now;
}

}  // namespace

/// Ends what has lasted too long.
void Http2Connection::keep_time() {
  const auto now = Clock::now();
  keep_stream_times(now);
  keep_connection_times(now);
  keep_drain(now);
  // Nobody is sent an answer behind a GOAWAY in anger, however long that takes to go out.
  while (session_.is_terminated() && !streams_.empty()) end_early(streams_.begin()->first, Http2Error::kCancel);
}

void Http2Connection::keep_stream_times(Clock::time_point now) {
  std::vector<StreamId> late;
  std::vector<StreamId> slow;
  for (auto& [id, stream] : streams_) {
    const bool is_slow = has_run_out(stream.patience, stream.blocked_since, session_.is_blocked(id), now);
    const bool is_late = stream.send_end && !stream.is_waiting && *stream.send_end <= now;
    if (is_slow || is_late) {
      slow.push_back(id);
    } else if (stream.is_waiting && stream.exchange->last_moment() <= now) {
      late.push_back(id);
    }
  }
  for (const StreamId id : slow) end_early(id, Http2Error::kCancel);
  for (const StreamId id : late) give_up(id);
}

/// The answer becomes a 504, or is cut off if its head is out.
void Http2Connection::give_up(StreamId id) {
  Stream& stream = streams_.at(id);
  stream.exchange->give_up();
  stream.is_waiting = false;
  stream.has_head ? end_early(id, Http2Error::kInternalError) : advance(id, stream);
}

void Http2Connection::keep_connection_times(Clock::time_point now) {
  const bool is_busy = session_.open_streams() > 0 || !streams_.empty();
  if (is_busy || !session_.output().empty()) idle_since_ = now;
  const bool is_stalled = (watches_output_ && !session_.output().empty()) || session_.is_window_closed();
  if (has_run_out(patience_, stalled_since_, is_stalled, now)) {
    session_.terminate(Http2Error::kEnhanceYourCalm, "stalled");
    is_broken_ = watches_output_;  // Nobody would read the GOAWAY.
  } else if (session_.is_terminated()) {
    return;  // It ends when the GOAWAY is out.
  } else if (!session_.has_settings()) {
    if (began_ + settings_->http2_preface_timeout <= now) session_.terminate(Http2Error::kNoError, "no_preface");
  } else if (!session_.has_acknowledged() && began_ + settings_->http2_settings_timeout <= now) {
    session_.terminate(Http2Error::kSettingsTimeout, "settings_timeout");
  } else if (!has_ended_ && !is_busy && idle_since_ + settings_->idle_timeout <= now) {
    has_ended_ = true;
    session_.end("idle");
  }
  session_.expire_incomplete(now - settings_->header_timeout);
}

/// In two steps, so that no request that is on its way is lost (RFC 9113, section 6.8).
void Http2Connection::keep_drain(Clock::time_point now) {
  if (!state_.is_draining() || has_ended_) return;
  if (!drain_began_) {
    drain_began_ = now;
    session_.announce_end();
  } else if (*drain_began_ + settings_->drain_idle_grace <= now) {
    has_ended_ = true;
    session_.end("drain");
  }
}

/// When to look again if nothing happens before.
Clock::time_point Http2Connection::next_moment() const {
  auto next = Clock::time_point::max();
  const auto consider = [&next](Clock::time_point moment) { next = std::min(next, moment); };
  if (stalled_since_) consider(patience_.end_of(*stalled_since_));
  if (session_.is_terminated()) return next;
  if (!session_.has_settings()) {
    consider(began_ + settings_->http2_preface_timeout);
  } else if (!session_.has_acknowledged()) {
    consider(began_ + settings_->http2_settings_timeout);
  }
  if (!has_ended_ && session_.open_streams() == 0) consider(idle_since_ + settings_->idle_timeout);
  if (const auto oldest = session_.oldest_incomplete()) consider(*oldest + settings_->header_timeout);
  if (drain_began_ && !has_ended_) consider(*drain_began_ + settings_->drain_idle_grace);
  for (const auto& [id, stream] : streams_) {
    if (stream.is_waiting) {
      consider(stream.exchange->last_moment());
    } else if (stream.send_end) {
      consider(*stream.send_end);
    }
    if (stream.blocked_since) consider(stream.patience.end_of(*stream.blocked_since));
  }
  return next;
}

void Http2Connection::count_session() {
  const http::Http2Counts& counts = session_.counts();
  state_.metrics.count_http2_streams(counts.streams - counted_.streams,
                                     counts.resets_received - counted_.resets_received,
                                     counts.resets_sent - counted_.resets_sent);
  counted_ = counts;
}

}  // namespace optimux::server
