#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "unit/http/http2_link.hpp"

namespace optimux::http {

/// A client that says every byte itself, and a session that answers each of its requests with a short text. What the
/// server says is read frame by frame, without a library, so that nothing of it is overlooked.
class Http2Dialogue {
 public:
  struct Frame {
    Http2FrameHead head;
    std::string payload;
  };

  /// The prefaces have been exchanged and acknowledged.
  Http2Dialogue();
  /// The session and a client that has not said a word.
  explicit Http2Dialogue(std::nullptr_t) {}

  /// Says so, and takes what the server answers.
  Http2Dialogue& say(std::string_view bytes);
  /// From here on requests are not answered, but kept.
  void hold_answers() { holds_answers_ = true; }
  /// Answers a request that was kept.
  void answer(StreamId stream);

  /// How the connection or the stream has ended, in words: `goaway protocol_error`, `reset stream_closed`, `answered`,
  /// or nothing yet. The first that has happened.
  std::string fate_of(StreamId stream) const;
  std::string fate() const { return fate_of(0); }
  /// Frames of the server, since the prefaces.
  const std::vector<Frame>& frames() const { return frames_; }
  std::vector<Frame> frames(Http2FrameType type) const;
  const Request& request(StreamId stream) const { return requests_.at(stream); }
  Http2Session& session() { return link_.session; }

 private:
  void take_output();

  Http2Link link_;
  std::vector<Frame> frames_;
  std::map<StreamId, Request> requests_;
  bool holds_answers_ = false;
};

/// A field of HPACK without compression and table (RFC 7541, section 6.2.2). Both parts are shorter than 127 bytes.
std::string hpack_literal(std::string_view name, std::string_view value);

/// The fields of a request: `GET http://x/`, without those that are named in `without`.
std::string hpack_get(std::string_view without = "");

/// A HEADERS frame with END_HEADERS, and END_STREAM unless the request goes on.
std::string http2_headers(StreamId stream, std::string_view block, bool ends_stream = true);
std::string http2_data(StreamId stream, std::string_view bytes, bool ends_stream = true);

}  // namespace optimux::http
