#include "http/http2_session.hpp"

#include <algorithm>
#include <utility>

namespace optimux::http {
namespace {

Nghttp2Adapter::Limits adapter_limits(const Http2Limits& limits) {
  return {limits.max_streams, static_cast<std::uint32_t>(limits.request.max_header_bytes), limits.max_settings_entries,
          limits.max_queued_acks, limits.floods.max_continuations};
}

/// RFC 9218, section 5: a client's field is complete, so that what it does not name is the default.
StreamPriority priority_of(const PriorityParameters& parameters) {
  StreamPriority priority;
  priority.urgency = parameters.urgency.value_or(priority.urgency);
  priority.incremental = parameters.incremental.value_or(priority.incremental);
  return priority;
}

/// RFC 9218, section 8: the server's field overrides what it names.
void merge(StreamPriority& priority, const PriorityParameters& parameters) {
  priority.urgency = parameters.urgency.value_or(priority.urgency);
  priority.incremental = parameters.incremental.value_or(priority.incremental);
}

StreamId stream_of(const Http2Event& event) {
  return std::visit([](const auto& alternative) { return alternative.stream; }, event);
}

}  // namespace

Http2Session::Http2Session(const Http2Limits& limits, SchedulingPolicy policy, Time now)
    : limits_(limits),
      adapter_(adapter_limits(limits), *this),
      scheduler_(policy),
      guard_(limits.floods, now),
      now_(now) {}

bool Http2Session::upgrade(std::string_view settings_payload, Request request) {
  if (!adapter_.upgrade(settings_payload, request.method == "HEAD")) return false;
  on_request_begin(1);
  Stream& stream = streams_.at(1);
  stream.priority = priority_of(parse_priority_field(request.headers.joined("priority")));
  stream.is_whole = stream.is_handed_out = true;
  constexpr std::uint8_t kWhole = Http2FrameHead::kEndStream | Http2FrameHead::kEndHeaders;
  history_.receive({.type = Http2FrameType::kHeaders, .flags = kWhole, .stream = 1});
  events_.push_back(Http2Request{1, std::move(request)});
  return true;
}

// What the client sends.

void Http2Session::feed(Bytes bytes, Time now) {
  now_ = now;
  while (!bytes.empty() && !is_deaf_) {
    const Http2FrameWalker::Step step = walker_.walk(bytes);
    if (step.begun) judge(*step.begun);
    if (is_deaf_) return;
    if (const auto wrong = adapter_.receive(bytes.first(step.bytes))) {
      terminate(Http2Error::kProtocolError, "protocol_error");
      return;
    }
    if (step.ended) apply_signal(*step.ended);
    bytes = bytes.subspan(step.bytes);
  }
}

std::optional<Http2Event> Http2Session::take_event() {
  if (events_.empty()) return std::nullopt;
  Http2Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::size_t Http2Session::held_bytes() const {
  std::size_t held = 0;
  for (const auto& [id, stream] : streams_) held += stream.builder.held_bytes();
  for (const Http2Event& event : events_) {
    if (const auto* const whole = std::get_if<Http2Request>(&event)) held += size_of(whole->request);
  }
  return held;
}

bool Http2Session::refuse_largest(base::Error reason) {
  auto largest = streams_.end();
  for (auto each = streams_.begin(); each != streams_.end(); ++each) {
    const Stream& stream = each->second;
    if (stream.is_handed_out || stream.builder.refusal()) continue;  // One more refusal would give nothing back.
    const bool is_first = largest == streams_.end();
    if (is_first || stream.builder.held_bytes() > largest->second.builder.held_bytes()) largest = each;
  }
  if (largest == streams_.end()) return false;
  largest->second.builder.refuse(std::move(reason));
  if (largest->second.builder.has_head()) hand_out_refusal(largest->first, largest->second);
  return true;
}

std::optional<Http2Session::Time> Http2Session::oldest_incomplete() const {
  for (const auto& [id, stream] : streams_) {
    if (!stream.is_whole && !stream.is_handed_out) return stream.opened;  // Streams are opened in their order.
  }
  return std::nullopt;
}

void Http2Session::expire_incomplete(Time limit) {
  std::vector<StreamId> late;
  for (const auto& [id, stream] : streams_) {
    if (stream.is_whole || stream.is_handed_out || stream.opened > limit) continue;
    if (!stream.builder.has_head()) {
      terminate(Http2Error::kEnhanceYourCalm, "slow_head");
      return;
    }
    late.push_back(id);
  }
  for (const StreamId id : late) reset(id, Http2Error::kCancel);
}

void Http2Session::on_request_begin(StreamId stream) {
  streams_.try_emplace(stream, limits_.request, now_);
  last_stream_ = std::max(last_stream_, stream);
  ++counts_.streams;
  guard_.open_stream();
}

void Http2Session::on_field(StreamId stream, std::string_view name, std::string_view value) {
  if (Stream* const found = find(stream)) found->builder.add_field(name, value);
}

void Http2Session::on_head_end(StreamId stream) {
  Stream* const found = find(stream);
  if (found == nullptr) return;
  found->builder.finish_head();
  found->priority = priority_of(parse_priority_field(found->builder.request().headers.joined("priority")));
  if (const auto early = early_priorities_.take(stream)) set_priority(stream, *found, *early);
  if (found->builder.refusal()) hand_out_refusal(stream, *found);
}

void Http2Session::on_body(StreamId stream, Bytes bytes) {
  Stream* const found = find(stream);
  if (found == nullptr) return;
  found->builder.add_body(bytes);
  if (found->builder.refusal()) hand_out_refusal(stream, *found);
}

void Http2Session::on_request_end(StreamId stream) {
  Stream* const found = find(stream);
  if (found == nullptr) return;
  found->is_whole = true;
  if (std::exchange(found->is_handed_out, true)) return;
  events_.push_back(Http2Request{stream, found->builder.take()});
}

void Http2Session::on_stream_close(StreamId stream) {
  Stream* const found = find(stream);
  if (found == nullptr) return;
  const bool was_asked_for = found->is_handed_out && !take_back(stream);
  output_.own(stream);
  finish(stream);
  if (was_asked_for) events_.push_back(Http2Reset{stream});
}

void Http2Session::on_window_update(StreamId stream) {
  if (Stream* const found = find(stream)) unblock(stream, *found);
}

/// SETTINGS_INITIAL_WINDOW_SIZE widens the windows of all streams at once.
void Http2Session::on_settings(bool is_ack) {
  (is_ack ? has_acknowledged_ : has_settings_) = true;
  for (auto& [id, stream] : streams_) unblock(id, stream);
}

void Http2Session::on_reset_sent(StreamId, Http2Error error) {
  ++counts_.resets_sent;
  // By `reset` and `judge`; the library has other reasons.
  const bool was_asked_for = error == Http2Error::kNoError || error == Http2Error::kCancel ||
                             error == Http2Error::kInternalError || error == Http2Error::kRefusedStream ||
                             error == Http2Error::kStreamClosed;
  if (!was_asked_for) check_flood(guard_.reset_stream(now_));
}

void Http2Session::on_head_not_sent(StreamId stream) {
  const bool is_waited_for = find(stream) != nullptr;
  if (is_waited_for) finish(stream);
  adapter_.reset(stream, Http2Error::kInternalError);
  if (is_waited_for) events_.push_back(Http2Reset{stream});
}

void Http2Session::on_goaway_sent(Http2Error error) {
  if (error == Http2Error::kNoError) return;
  is_deaf_ = true;
  if (!goodbye_) goodbye_ = Http2Goodbye{error, std::string(name_of(error))};
}

Http2Session::Stream* Http2Session::find(StreamId stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2Session::hand_out_refusal(StreamId id, Stream& stream) {
  if (std::exchange(stream.is_handed_out, true)) return;
  events_.push_back(Http2Refusal{id, *stream.builder.refusal(), stream.builder.is_head()});
}

/// Forgets a request that nobody has looked at yet. True if there was one.
bool Http2Session::take_back(StreamId stream) {
  return std::erase_if(events_, [stream](const Http2Event& event) { return stream_of(event) == stream; }) > 0;
}

void Http2Session::apply_signal(const Http2FrameWalker::Frame& frame) {
  if (frame.head.type == Http2FrameType::kRstStream) ++counts_.resets_received;
  const auto reading = read_priority_signal(frame);
  if (const auto* const error = std::get_if<Http2Error>(&reading)) {
    terminate(*error, "priority");
  } else if (const auto* const signal = std::get_if<PrioritySignal>(&reading)) {
    if (Stream* const stream = find(signal->stream)) {
      set_priority(signal->stream, *stream, *signal);
    } else if (signal->is_complete && signal->stream > last_stream_) {
      const std::size_t room = limits_.max_streams - std::min<std::size_t>(limits_.max_streams, streams_.size());
      const bool is_kept = early_priorities_.keep(*signal, room);
      // RFC 9218, section 7.1. Before it knows the limit a client cannot keep it.
      if (!is_kept && has_acknowledged_) terminate(Http2Error::kProtocolError, "priority");
    }
  }
}

void Http2Session::set_priority(StreamId id, Stream& stream, const PrioritySignal& signal) {
  if (signal.is_complete) {
    stream.priority = priority_of(signal.parameters);
  } else {
    merge(stream.priority, signal.parameters);
  }
  if (stream.is_answered) scheduler_.reprioritize(id, stream.priority);
}

/// Looks at a frame before the library sees any of it.
void Http2Session::judge(const Http2FrameHead& head) {
  check_flood(guard_.receive(head, now_));
  const auto offence = history_.receive(head);
  if (!offence || is_deaf_) return;
  if (offence->is_of_connection) {
    terminate(offence->error, std::string(name_of(offence->error)));
  } else {
    adapter_.reset(head.stream, offence->error);
    check_flood(guard_.reset_stream(now_));  // Now, and not when somebody reads it.
  }
}

/// True when it is one.
bool Http2Session::check_flood(std::optional<Http2Flood> flood) {
  if (flood) terminate(Http2Error::kEnhanceYourCalm, "flood_" + std::string(name_of(*flood)));
  return flood.has_value();
}

// The answers.

bool Http2Session::inform(StreamId stream, int status, const Headers& fields) {
  const Stream* const found = find(stream);
  return found != nullptr && !found->is_answered && adapter_.inform(stream, status, fields);
}

bool Http2Session::respond(StreamId stream, const ResponseHead& head, bool has_body) {
  Stream* const found = find(stream);
  if (found == nullptr || !adapter_.respond(stream, head, has_body)) return false;
  if (!has_body) {
    if (!found->is_whole) adapter_.reset(stream, Http2Error::kNoError);
    finish(stream);
    return true;
  }
  found->is_answered = true;
  merge(found->priority, parse_priority_field(head.headers.joined("Priority")));
  scheduler_.open(stream, found->priority);
  return true;
}

void Http2Session::reset(StreamId stream, Http2Error error) {
  if (find(stream) == nullptr) return;
  output_.own(stream);
  take_back(stream);
  finish(stream);
  adapter_.reset(stream, error);
}

/// Nothing more is to be done for the stream here; the library may still have it.
void Http2Session::finish(StreamId id) {
  if (streams_.at(id).is_answered) scheduler_.close(id);
  std::erase(ends_, id);
  streams_.erase(id);
}

// The end.

void Http2Session::end(std::string_view reason) {
  if (!goodbye_) goodbye_ = Http2Goodbye{Http2Error::kNoError, std::string(reason)};
  adapter_.end();
}

void Http2Session::terminate(Http2Error error, std::string reason) {
  is_deaf_ = true;
  events_.clear();  // Nobody would be sent an answer.
  if (!goodbye_ || goodbye_->error == Http2Error::kNoError) goodbye_ = Http2Goodbye{error, std::move(reason)};
  adapter_.terminate(error);
}

}  // namespace optimux::http
