#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/phase.hpp"
#include "http/http2_error.hpp"
#include "http/http2_flood_guard.hpp"
#include "http/http2_frame_walker.hpp"
#include "http/http2_output.hpp"
#include "http/http2_priority_signals.hpp"
#include "http/http2_request_builder.hpp"
#include "http/http2_stream_history.hpp"
#include "http/message.hpp"
#include "http/nghttp2_adapter.hpp"
#include "http/stream_scheduler.hpp"

namespace optimux::http {

/// What one HTTP/2 connection may take.
struct Http2Limits {
  std::uint32_t max_streams = 256;          ///< Requests open at one time.
  std::uint32_t max_settings_entries = 32;  ///< Of one SETTINGS frame.
  std::uint32_t max_queued_acks = 200;      ///< Answers to PING and SETTINGS that the client does not read.
  RequestLimits request;
  Http2FloodLimits floods;
};

/// A request that is whole, and is waited for.
struct Http2Request {
  StreamId stream = 0;
  Request request;
};
/// A request that is to be answered with `error`, whole or not.
struct Http2Refusal {
  StreamId stream = 0;
  base::Error error;
  bool is_head = false;  ///< The answer has no body, as that to every HEAD.
};
/// The client has taken back a request that was handed out, or can get no answer any more.
struct Http2Reset {
  StreamId stream = 0;
};
using Http2Event = std::variant<Http2Request, Http2Refusal, Http2Reset>;

/// Bytes of a body that may be sent.
struct Http2Supply {
  std::vector<std::span<const std::byte>> pieces;
  base::Phase phase = base::Phase::kFull;  ///< Of all these bytes.
  bool is_last = false;                    ///< They, perhaps none, are the rest.
  /// Whether the pieces stay valid until the stream has ended and `output` is empty, so that they need no copy.
  bool is_lasting = true;
};

/// What `produce` has put into the output.
struct Http2Produced {
  StreamId stream = 0;    ///< Whose body; 0: nothing but what the protocol needs, and the heads of answers.
  std::size_t bytes = 0;  ///< Of the body.
  bool is_dry = false;    ///< All that was supplied is in the output: `supply` may be called.
  bool is_end = false;    ///< So is the end of the answer; the stream is over.
};

/// The connection's goodbye.
struct Http2Goodbye {
  Http2Error error = Http2Error::kNoError;
  std::string reason;  ///< In snake case, from a small set: `drain`, `idle`, `flood_resets`, `protocol_error`, …
};

/// What has happened on a connection so far.
struct Http2Counts {
  std::uint64_t streams = 0;          ///< That the client has opened.
  std::uint64_t resets_received = 0;  ///< RST_STREAM.
  std::uint64_t resets_sent = 0;
};

/// The server's side of one HTTP/2 connection (RFC 9113): bytes in, requests out; answers in, bytes out. No socket,
/// thread or clock; not thread-safe.
///
/// nghttp2 does framing, header compression and flow control. What is sent next is decided here by a `StreamScheduler`
/// across all bodies: to the library every stream is deferred but the one that was picked, and that for one frame. So
/// the order is decided frame by frame, at the last moment, as long as the caller takes the output before it asks for
/// more.
///
/// The client says what is important with `priority` (RFC 9218), PRIORITY_UPDATE and the PRIORITY frames of Chromium;
/// the answer may say so too, and then has the last word on what it names.
class Http2Session final : private Nghttp2Adapter::Events {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Bytes = std::span<const std::byte>;

  Http2Session(const Http2Limits& limits, SchedulingPolicy policy, Time now);
  ~Http2Session() = default;

  /// `request` came with HTTP/1.1 and asked for the upgrade; it is stream 1, which has to be answered as any other.
  /// `settings_payload` is its `HTTP2-Settings`, decoded. Before anything else; false when that is not valid.
  bool upgrade(std::string_view settings_payload, Request request);

  // What the client sends.

  /// Takes bytes as they come. Does nothing once the connection is ending in anger.
  void feed(Bytes bytes, Time now);
  /// What they gave, in order; nothing when there is no more.
  std::optional<Http2Event> take_event();
  bool has_events() const { return !events_.empty(); }
  /// Memory of requests that are not whole yet or have not been taken, in bytes.
  std::size_t held_bytes() const;
  /// Refuses the incomplete request that holds most; it comes as an `Http2Refusal`. False if none is incomplete.
  bool refuse_largest(base::Error reason);
  /// When the oldest incomplete request began.
  std::optional<Time> oldest_incomplete() const;
  /// Ends the requests that began before `limit` and are not whole. One whose head is missing blocks all the others,
  /// and so ends the connection.
  void expire_incomplete(Time limit);
  bool has_settings() const { return has_settings_; }  ///< The client's preface is complete.
  bool has_acknowledged() const { return has_acknowledged_; }
  /// Requests that are open, whole or not.
  std::size_t open_streams() const { return streams_.size(); }

  // The answers.

  /// A head before that of the answer, with a status below 200. False when the stream is gone or has its answer.
  bool inform(StreamId stream, int status, const Headers& fields);
  /// The head of the answer. Without a body the stream is over. False when the stream is gone.
  bool respond(StreamId stream, const ResponseHead& head, bool has_body);
  /// The next bytes of its body. Only when it is dry: after `respond`, and after `produce` said so.
  void supply(StreamId stream, const Http2Supply& supply);
  /// Ends a stream before its time. Its pieces are not needed any more when this returns.
  void reset(StreamId stream, Http2Error error);

  // What the client is sent.

  /// Puts the next bytes into the output: all that the protocol has to say, or else one frame of a body, of at most
  /// `most` bytes. Nothing when there is nothing to send, or the client lets nothing be sent.
  std::optional<Http2Produced> produce(std::size_t most, Time now);
  Http2Output& output() { return output_; }
  const Http2Output& output() const { return output_; }
  /// Whether a body has bytes to send and the client's window for this stream is closed.
  bool is_blocked(StreamId stream) const;
  /// Whether some body could send if the client's window for the whole connection were open.
  bool is_window_closed() const { return adapter_.window() <= 0 && (!ends_.empty() || scheduler_.pick().has_value()); }

  // The end.

  /// Step one of leaving in peace: the client is told that this connection will end, and nothing is refused.
  void announce_end() { adapter_.announce_end(); }
  /// Step two: what the client opens from now on is ignored, what is open goes on.
  void end(std::string_view reason);
  /// GOAWAY; nothing more is taken in.
  void terminate(Http2Error error, std::string reason);
  /// Set once the connection is ending for a reason of ours.
  const std::optional<Http2Goodbye>& goodbye() const { return goodbye_; }
  /// Whether the connection is of no use any more, but for what is in the output.
  bool is_over() const { return adapter_.is_over(); }
  /// Whether `terminate` was called, or the library has ended the connection: nothing more is taken in.
  bool is_terminated() const { return is_deaf_; }
  const Http2Counts& counts() const { return counts_; }

 private:
  struct Stream {
    explicit Stream(const RequestLimits& limits, Time now) : builder(limits), opened(now) {}

    Http2RequestBuilder builder;
    Time opened;
    StreamPriority priority;
    bool is_whole = false;  ///< The request.
    bool is_handed_out = false;
    bool is_answered = false;  ///< The head of the answer was given.
    bool is_blocked = false;
    std::deque<Bytes> pieces;  ///< Supplied and not sent.
    std::size_t supplied = 0;  ///< Bytes of them.
    bool is_lasting = true;
    bool is_last = false;
  };
  /// One frame that a stream may send.
  struct Grant {
    StreamId stream = 0;
    std::size_t bytes = 0;
    bool is_used = false;
    bool is_end = false;
  };

  void on_head_begin() override { guard_.begin_head(); }
  bool on_field_bytes(std::size_t bytes) override { return !check_flood(guard_.receive_field(bytes)); }
  void on_request_begin(StreamId stream) override;
  void on_field(StreamId stream, std::string_view name, std::string_view value) override;
  void on_head_end(StreamId stream) override;
  void on_body(StreamId stream, Bytes bytes) override;
  void on_padding() override { check_flood(guard_.receive_padding(now_)); }
  void on_request_end(StreamId stream) override;
  void on_stream_close(StreamId stream) override;
  void on_window_update(StreamId stream) override;
  void on_settings(bool is_ack) override;
  /// Not when the client is told so: one that reads nothing could have any number of resets wait for it.
  void on_refused(StreamId) override { check_flood(guard_.reset_stream(now_)); }
  void on_head_not_sent(StreamId stream) override;
  void on_reset_sent(StreamId stream, Http2Error error) override;
  void on_goaway_sent(Http2Error error) override;
  std::optional<DataTurn> on_data_turn(StreamId stream, std::size_t most) override;
  void on_data_frame(StreamId stream, Bytes head, std::size_t bytes) override;

  Stream* find(StreamId stream);
  void hand_out_refusal(StreamId id, Stream& stream);
  bool take_back(StreamId stream);
  void apply_signal(const Http2FrameWalker::Frame& frame);
  void set_priority(StreamId id, Stream& stream, const PrioritySignal& signal);
  void judge(const Http2FrameHead& head);
  bool check_flood(std::optional<Http2Flood> flood);
  void unblock(StreamId id, Stream& stream);
  bool send_protocol();
  std::optional<Grant> next_grant(std::size_t most);
  std::optional<Http2Produced> use(Grant grant);
  void finish(StreamId id);

  const Http2Limits limits_;
  Nghttp2Adapter adapter_;
  StreamScheduler scheduler_;
  Http2FrameWalker walker_;
  Http2FloodGuard guard_;
  Http2StreamHistory history_;
  EarlyPriorities early_priorities_;
  std::map<StreamId, Stream> streams_;
  std::deque<Http2Event> events_;
  std::vector<StreamId> ends_;  ///< Streams that have nothing left to send but their end.
  std::optional<Grant> grant_;
  Http2Output output_;
  Http2Counts counts_;
  std::optional<Http2Goodbye> goodbye_;
  Time now_;
  StreamId last_stream_ = 0;
  bool has_settings_ = false;
  bool has_acknowledged_ = false;
  bool is_deaf_ = false;  ///< Nothing more is taken in.
};

}  // namespace optimux::http
