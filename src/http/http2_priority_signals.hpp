#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "http/http2_error.hpp"
#include "http/http2_frame_walker.hpp"
#include "http/priority_field.hpp"

namespace optimux::http {

/// A client's word on how important a stream is.
struct PrioritySignal {
  std::int32_t stream = 0;
  PriorityParameters parameters;
  /// What is absent of `parameters` is the default (PRIORITY_UPDATE), and not as it was before (PRIORITY).
  bool is_complete = false;
};

/// Reads a PRIORITY_UPDATE frame (RFC 9218, section 7.1), or a PRIORITY frame in the form in which Chromium still tells
/// with it that an image has come into view: exclusive, and with one of the five weights that stand for an urgency.
/// Gives the signal, nothing for other PRIORITY frames, or the error of the connection that the frame is.
std::variant<std::monostate, PrioritySignal, Http2Error> read_priority_signal(const Http2FrameWalker::Frame& frame);

/// Signals for streams that the client has not opened yet, the latest of each. Not thread-safe.
class EarlyPriorities {
 public:
  /// False when `most` streams are waiting already.
  bool keep(const PrioritySignal& signal, std::size_t most);
  /// The signal for `stream`, which is being opened; streams with smaller numbers will not be opened any more.
  std::optional<PrioritySignal> take(std::int32_t stream);
  std::size_t size() const { return signals_.size(); }

 private:
  std::deque<PrioritySignal> signals_;  ///< By stream.
};

}  // namespace optimux::http
