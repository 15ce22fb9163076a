#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/headers.hpp"
#include "http/http2_error.hpp"
#include "http/http2_frame_walker.hpp"
#include "http/stream_scheduler.hpp"

struct nghttp2_session;

namespace optimux::http {

/// A client for tests: nghttp2's other side, without a socket, with a hand on every window and a record of every frame.
class Http2Peer {
 public:
  struct Settings {
    std::uint32_t initial_window = 65'535;  ///< Of each stream.
    bool opens_windows = true;              ///< Gives back what it has read, as browsers do.
  };
  struct Frame {
    Http2FrameType type;
    std::int32_t stream;
    std::size_t length;
    std::uint8_t flags;
  };
  struct Response {
    std::vector<std::pair<int, Headers>> informational;  ///< Heads before the last.
    int status = 0;
    Headers headers;
    std::string body;
    bool is_ended = false;            ///< By END_STREAM.
    std::optional<Http2Error> reset;  ///< By RST_STREAM.
  };

  Http2Peer();
  explicit Http2Peer(const Settings& settings);
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;
  ~Http2Peer();

  /// Asks, and gives the stream. `more` comes behind the pseudo-fields. With a body, a POST.
  std::int32_t get(std::string_view path, const Headers& more = {});
  std::int32_t request(std::string_view method, std::string_view path, const Headers& more = {},
                       std::optional<std::string> body = std::nullopt);
  void reset(std::int32_t stream, Http2Error error = Http2Error::kCancel);
  void ping();
  /// Opens the window of a stream, or of the connection (0).
  void open_window(std::int32_t stream, std::int32_t bytes);
  void set_initial_window(std::uint32_t bytes);
  /// Bytes of no library: behind all that has been said so far.
  void raw(std::string_view bytes) { raw_ += bytes; }
  void priority_update(std::int32_t stream, std::string_view field);
  /// A PRIORITY frame as RFC 7540 has it.
  void priority(std::int32_t stream, int weight, bool is_exclusive);

  /// What is to be sent to the server.
  std::string take();
  /// What the server has sent.
  void feed(std::string_view bytes);

  Response& response(std::int32_t stream) { return responses_[stream]; }
  const std::vector<Frame>& frames() const { return frames_; }
  /// Those of bodies, empty ones included.
  std::vector<Frame> data_frames() const;
  /// Of the last GOAWAY.
  std::optional<Http2Error> goaway() const { return goaway_; }
  std::int32_t goaway_stream() const { return goaway_stream_; }
  /// What the library said of bytes that are no HTTP/2.
  const std::string& failure() const { return failure_; }
  std::map<std::uint16_t, std::uint32_t> server_settings;

 private:
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Response> responses_;
  std::map<std::int32_t, std::string> bodies_;
  std::vector<Frame> frames_;
  std::string raw_;
  std::string failure_;
  std::optional<Http2Error> goaway_;
  std::int32_t goaway_stream_ = 0;
};

/// A frame of HTTP/2, byte by byte.
std::string http2_frame(Http2FrameType type, std::uint8_t flags, std::uint32_t stream, std::string_view payload);

/// What a client's connection begins with: the preface and empty SETTINGS.
std::string http2_preface();

/// `GET /` in one HEADERS frame, from the static table alone. `flags`: END_STREAM (1), END_HEADERS (4).
std::string http2_get(StreamId stream, std::uint8_t flags = 0x5);
std::string http2_reset(StreamId stream, Http2Error error = Http2Error::kCancel);
std::string http2_window_update(StreamId stream, std::uint32_t bytes);

}  // namespace optimux::http
