#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace optimux::base {

/// What went wrong, in the words of the product and of no protocol. `server/error_status` is the one table that turns a
/// code into an HTTP status; the command line turns it into an exit code.
enum class ErrorCode {
  kInvalidParameter,     ///< A parameter is unknown, malformed or out of range; the detail names it and its range.
  kInvalidUrl,           ///< A source URL or key cannot be parsed.
  kForbiddenSource,      ///< Scheme, host or address of the source is not allowed. The detail never says which.
  kNotFound,             ///< No such route, key or file, or the origin said 404 or 410.
  kMethodNotAllowed,     ///< The route exists, the method does not.
  kNotAcceptable,        ///< No format that the client accepts can be produced.
  kSourceTooLarge,       ///< The source has more bytes than `max_source_bytes`.
  kUriTooLong,           ///< Request target longer than its limit.
  kHeadersTooLarge,      ///< Request headers longer than their limit.
  kBodyTooLarge,         ///< Request body longer than its limit.
  kMalformedRequest,     ///< The bytes on the connection are not a valid request.
  kUnsupportedMedia,     ///< The bytes are not a media type that is read.
  kVideoSource,          ///< The source is a video, and a picture was asked for.
  kRangeNotSatisfiable,  ///< No byte of the requested range exists.
  kBrokenMedia,          ///< A readable type, but damaged or truncated.
  kLimitExceeded,        ///< Pixels, frames, duration or output size over the configured limit.
  kTooManyRequests,      ///< The per-client limit is used up.
  kCancelled,            ///< Nobody waits for the result any more.
  kInternal,             ///< Our fault; the cause in the log says more.
  kOriginFailed,         ///< Origin unreachable, answered 5xx, loops, or ended its body early.
  kOriginTimeout,        ///< The origin ran out of its time.
  kDeadlineExceeded,     ///< The request ran out of its time while it was being processed.
  kOverloaded,           ///< Queue full, or the wait would outlast the deadline.
  kShuttingDown,         ///< The process is draining.
};

/// The code's stable name in snake case, as it stands in logs, metrics and `--json`. Never fails.
std::string_view name_of(ErrorCode code);

/// An expected failure. `detail` may be shown to the client; `cause` is for the log alone (paths, addresses, messages
/// of libraries). A value type; copying it is cheap enough for error paths.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string detail;
  std::string cause;
};

}  // namespace optimux::base
