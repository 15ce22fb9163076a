#pragma once

#include <cstddef>
#include <cstdint>

namespace optimux::bench {

/// How one request ended.
enum class Outcome {
  kComplete,   ///< With a whole response of any status.
  kRefused,    ///< No connection could be made.
  kCutOff,     ///< The connection ended before the response did.
  kMalformed,  ///< The bytes were no HTTP response.
  kTimedOut,   ///< Not whole in the time that a request may take.
};

/// What was seen of one request. Times are microseconds since the start of the run; 0 where it never came to that.
struct Sample {
  std::size_t target = 0;  ///< Index in the list of targets.
  std::int64_t due = 0;    ///< When it should have been sent: by the clock, or at once (closed loop).
  std::int64_t sent = 0;
  std::int64_t head = 0;   ///< First byte of the head.
  std::int64_t first = 0;  ///< First byte of the body.
  std::int64_t last = 0;   ///< Last byte, or the end of whatever kind.
  int status = 0;
  std::uint64_t bytes = 0;   ///< Of the body.
  bool retry_after = false;  ///< The header was there.
  Outcome outcome = Outcome::kComplete;
};

}  // namespace optimux::bench
