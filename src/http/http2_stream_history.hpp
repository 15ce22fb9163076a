#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "http/http2_error.hpp"
#include "http/http2_frame_walker.hpp"

namespace optimux::http {

/// How a client has left the streams of its connection, to judge what still comes on them (RFC 9113, section 5.1). The
/// library forgets a stream at its end, and passes over what comes on it later. That is right for a stream that was
/// reset from here: the client may not know yet. A client that has ended or reset a stream itself, or passed its number
/// over, knows that nothing may follow. No clock; not thread-safe.
class Http2StreamHistory {
 public:
  /// Streams that are remembered, the latest ones; what comes on older ones is passed over.
  static constexpr std::size_t kRemembered = 1'024;

  /// What a frame is that must not come on its stream: an error of the connection, or else of the stream alone.
  struct Offence {
    Http2Error error = Http2Error::kStreamClosed;
    bool is_of_connection = false;

    friend bool operator==(const Offence&, const Offence&) = default;
  };

  /// A frame begins. Nothing if it may come, or is no frame of a stream that was ever opened, which the library judges.
  std::optional<Offence> receive(const Http2FrameHead& head);

 private:
  /// What the client did last.
  enum class Fate : std::uint8_t { kPassedOver, kOpened, kEnded, kReset };

  void open(std::int32_t stream);
  Fate* find(std::int32_t stream);

  std::deque<Fate> fates_;    ///< Of the streams with odd numbers up to `last_`.
  std::int64_t last_ = -1;    ///< The highest stream that was opened.
  bool is_in_block_ = false;  ///< CONTINUATION has to follow; what else comes the library judges.
};

}  // namespace optimux::http
