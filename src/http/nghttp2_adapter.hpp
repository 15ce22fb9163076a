#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/http2_error.hpp"
#include "http/message.hpp"

struct nghttp2_session;

namespace optimux::http {

/// nghttp2 behind a wall: the only place that includes its header, holds its handles and turns its errors. Framing,
/// HPACK, flow control and the rules of RFC 9113 are the library's; which stream sends is for `Events` to say.
/// Not thread-safe.
class Nghttp2Adapter {
 public:
  using Bytes = std::span<const std::byte>;

  struct Limits {
    std::uint32_t max_streams = 256;          ///< Open at one time.
    std::uint32_t max_header_list = 32'768;   ///< Told to the client; bytes as RFC 9113 counts them.
    std::uint32_t max_settings_entries = 32;  ///< Of one SETTINGS frame.
    std::uint32_t max_queued_acks = 200;      ///< Answers to PING and SETTINGS that wait to be sent.
    std::uint32_t max_continuations = 8;      ///< Of one head; where the library knows this limit.
  };

  /// What the library has to say. Called while `receive` and `send` run; must not call the adapter back but where it
  /// says so.
  class Events {
   public:
    Events() = default;
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    /// A head begins: that of a request, or trailers.
    virtual void on_head_begin() = 0;
    /// What a field of it counts (RFC 9113, section 10.5.1), in bytes; said of every field before anything else. False:
    /// no more of it is wanted; `receive` fails.
    virtual bool on_field_bytes(std::size_t bytes) = 0;
    virtual void on_request_begin(std::int32_t stream) = 0;
    virtual void on_field(std::int32_t stream, std::string_view name, std::string_view value) = 0;
    virtual void on_head_end(std::int32_t stream) = 0;
    virtual void on_body(std::int32_t stream, Bytes bytes) = 0;
    /// DATA that has neither bytes of a body nor its end, and looks as if it had.
    virtual void on_padding() = 0;
    virtual void on_request_end(std::int32_t stream) = 0;
    /// The stream is gone, in whichever way; also for those that never were a request.
    virtual void on_stream_close(std::int32_t stream) = 0;
    /// The client has widened the window of `stream`; 0: that of the connection.
    virtual void on_window_update(std::int32_t stream) = 0;
    virtual void on_settings(bool is_ack) = 0;
    /// A stream beyond the limit was refused. Whether the client ever reads so is another matter.
    virtual void on_refused(std::int32_t stream) = 0;
    /// The head of an answer cannot be sent; nothing of the answer will be, but RST_STREAM.
    virtual void on_head_not_sent(std::int32_t stream) = 0;
    /// RST_STREAM has been sent, for a reason of ours or of the library's.
    virtual void on_reset_sent(std::int32_t stream, Http2Error error) = 0;
    virtual void on_goaway_sent(Http2Error error) = 0;

    struct DataTurn {
      std::size_t bytes = 0;  ///< To be sent in this frame; 0 only with `is_last`.
      bool is_last = false;
    };
    /// Stream `stream` may send up to `most` bytes (at least 1). Nothing: not now; `resume` asks again.
    virtual std::optional<DataTurn> on_data_turn(std::int32_t stream, std::size_t most) = 0;
    /// The frame that was granted last: its head, and how many bytes follow it.
    virtual void on_data_frame(std::int32_t stream, Bytes head, std::size_t bytes) = 0;

   protected:
    ~Events() = default;
  };

  /// A server's side of a connection; its SETTINGS are the first that `send` gives. `events` must outlive the adapter.
  Nghttp2Adapter(const Limits& limits, Events& events);
  Nghttp2Adapter(const Nghttp2Adapter&) = delete;
  Nghttp2Adapter& operator=(const Nghttp2Adapter&) = delete;
  ~Nghttp2Adapter();

  /// Stream 1 is the HTTP/1.1 request that asked for the upgrade, with the client's decoded `HTTP2-Settings`. Before
  /// anything is received or sent. False when these settings are not valid.
  bool upgrade(std::string_view settings_payload, bool is_head_request);

  /// Takes bytes of the client. Nothing on success, else what is wrong with them: the connection is of no use then, and
  /// what is left to do is to send the GOAWAY.
  std::optional<std::string> receive(Bytes bytes);
  /// The next bytes to send but those of bodies; empty when there are none now. Valid until the next call.
  Bytes send();

  /// False for a stream that is gone.
  bool respond(std::int32_t stream, const ResponseHead& head, bool has_body);
  /// A head before that of the answer (RFC 9110, section 15.2); `status` is below 200. False for a stream that is gone.
  bool inform(std::int32_t stream, int status, const Headers& fields);
  /// Asks for a turn of a stream that was told "not now".
  void resume(std::int32_t stream);
  void reset(std::int32_t stream, Http2Error error);
  /// The first step of leaving in peace: the client is told to ask for nothing more, and nothing is refused yet.
  void announce_end();
  /// The second step: streams that the client opens from now on are ignored, those that are open go on.
  void end();
  /// GOAWAY, and nothing more is received.
  void terminate(Http2Error error);

  /// What the client lets stream or connection send, in bytes; 0 or less: nothing.
  std::int32_t window_of(std::int32_t stream) const;
  std::int32_t window() const;
  /// Whether anything is to be received or sent at all.
  bool is_over() const;
  /// The highest stream that a request has come on.
  std::int32_t last_stream() const;

 private:
  struct Callbacks;
  struct Deleter {
    void operator()(nghttp2_session* session) const;
  };

  std::unique_ptr<nghttp2_session, Deleter> session_;
};

}  // namespace optimux::http
