#include "server/error_status.hpp"

#include <array>
#include <cassert>
#include <utility>

namespace optimux::server {
namespace {

using base::ErrorCode;

// In the order of the enumeration, so that a row is found by its number.
constexpr auto kTable = std::to_array<std::pair<ErrorCode, ErrorStatus>>({
    {ErrorCode::kInvalidParameter, {400, "/errors/invalid-parameter", "Invalid parameter", "a parameter is not valid"}},
    {ErrorCode::kInvalidUrl, {400, "/errors/invalid-url", "Invalid URL", "the URL cannot be read"}},
    {ErrorCode::kForbiddenSource,
     {403, "/errors/forbidden-source", "Not allowed",
      "the source may not be fetched, or the URL needs a valid signature", true}},
    {ErrorCode::kNotFound, {404, "/errors/not-found", "Not found", "there is nothing here"}},
    {ErrorCode::kMethodNotAllowed,
     {405, "/errors/method-not-allowed", "Method not allowed", "the method is not allowed here; see Allow"}},
    {ErrorCode::kNotAcceptable,
     {406, "/errors/not-acceptable", "Not acceptable", "no format that the client accepts can be produced"}},
    {ErrorCode::kSourceTooLarge,
     {413, "/errors/source-too-large", "Source too large", "the source has more bytes than are read"}},
    {ErrorCode::kUriTooLong, {414, "/errors/uri-too-long", "URL too long", "the URL is too long"}},
    {ErrorCode::kHeadersTooLarge,
     {431, "/errors/headers-too-large", "Headers too large", "the request's header fields are too large"}},
    {ErrorCode::kBodyTooLarge, {413, "/errors/body-too-large", "Body too large", "the request's body is too large"}},
    {ErrorCode::kMalformedRequest,
     {400, "/errors/malformed-request", "Malformed request", "the request is not valid HTTP"}},
    {ErrorCode::kUnsupportedMedia,
     {415, "/errors/unsupported-media", "Unsupported media type", "the bytes are not a media type that is read"}},
    {ErrorCode::kVideoSource,
     {415, "/errors/video-source", "Video source", "the source is a video, which is not read here"}},
    {ErrorCode::kRangeNotSatisfiable,
     {416, "/errors/range-not-satisfiable", "Range not satisfiable", "no byte of the range exists"}},
    {ErrorCode::kBrokenMedia, {422, "/errors/broken-media", "Broken media", "the source is damaged or truncated"}},
    {ErrorCode::kLimitExceeded,
     {422, "/errors/limit-exceeded", "Limit exceeded", "the source or the result is over a limit"}},
    {ErrorCode::kTooManyRequests,
     {429, "/errors/too-many-requests", "Too many requests", "the limit per client is used up"}},
    {ErrorCode::kCancelled, {499, "/errors/cancelled", "Client went away", "nobody waits for the answer any more"}},
    {ErrorCode::kInternal,
     {500, "/errors/internal", "Internal error", "something went wrong here; the log has the request id", true}},
    {ErrorCode::kOriginFailed, {502, "/errors/origin-failed", "Origin failed", "the source could not be fetched"}},
    {ErrorCode::kOriginTimeout,
     {504, "/errors/origin-timeout", "Origin timed out", "the origin did not answer in time"}},
    {ErrorCode::kDeadlineExceeded,
     {504, "/errors/deadline-exceeded", "Deadline exceeded", "the answer could not be made in time"}},
    {ErrorCode::kOverloaded,
     {503, "/errors/overloaded", "Overloaded", "too much to do at the moment; see Retry-After"}},
    {ErrorCode::kShuttingDown,
     {503, "/errors/shutting-down", "Shutting down", "this server is about to stop; see Retry-After"}},
});

}  // namespace

const ErrorStatus& error_status(ErrorCode code) {
  const auto& row = kTable.at(static_cast<std::size_t>(code));
  assert(row.first == code && "the table is in the order of the enumeration");
  return row.second;
}

}  // namespace optimux::server
