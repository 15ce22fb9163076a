#include "base/error.hpp"

namespace optimux::base {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidParameter: return "invalid_parameter";
    case ErrorCode::kInvalidUrl: return "invalid_url";
    case ErrorCode::kForbiddenSource: return "forbidden_source";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kMethodNotAllowed: return "method_not_allowed";
    case ErrorCode::kNotAcceptable: return "not_acceptable";
    case ErrorCode::kSourceTooLarge: return "source_too_large";
    case ErrorCode::kUriTooLong: return "uri_too_long";
    case ErrorCode::kHeadersTooLarge: return "headers_too_large";
    case ErrorCode::kBodyTooLarge: return "body_too_large";
    case ErrorCode::kMalformedRequest: return "malformed_request";
    case ErrorCode::kUnsupportedMedia: return "unsupported_media";
    case ErrorCode::kVideoSource: return "video_source";
    case ErrorCode::kRangeNotSatisfiable: return "range_not_satisfiable";
    case ErrorCode::kBrokenMedia: return "broken_media";
    case ErrorCode::kLimitExceeded: return "limit_exceeded";
    case ErrorCode::kTooManyRequests: return "too_many_requests";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kInternal: return "internal";
    case ErrorCode::kOriginFailed: return "origin_failed";
    case ErrorCode::kOriginTimeout: return "origin_timeout";
    case ErrorCode::kDeadlineExceeded: return "deadline_exceeded";
    case ErrorCode::kOverloaded: return "overloaded";
    case ErrorCode::kShuttingDown: return "shutting_down";
  }
  return "internal";
}

}  // namespace optimux::base
