#include "source/source_error.hpp"

#include <system_error>
#include <utility>

#include "base/quantity.hpp"

namespace optimux::source {

using base::Error;
using base::ErrorCode;

Error source_not_allowed(std::string cause) {
  return {ErrorCode::kForbiddenSource, "this source is not allowed", std::move(cause)};
}

Error scheme_not_allowed(const std::string& scheme) {
  return {ErrorCode::kForbiddenSource,
          "the scheme of the source URL is not allowed: write http://HOST/PATH, https://HOST/PATH, file:///KEY or "
          "s3://BUCKET/KEY",
          "scheme " + scheme};
}

Error source_not_found(std::string cause) {
  return {ErrorCode::kNotFound, "there is no such source", std::move(cause)};
}

Error no_store() {
  return {ErrorCode::kNotFound, "no store is configured", "there is no root"};
}

Error source_too_large(std::uint64_t max_source_bytes, std::string cause) {
  return {ErrorCode::kSourceTooLarge,
          "the source is larger than max_source_bytes (" + base::format_bytes(max_source_bytes) + ")",
          std::move(cause)};
}

Error video_too_large(std::uint64_t max_video_bytes, std::string cause) {
  return {ErrorCode::kSourceTooLarge,
          "the source is larger than max_video_bytes (" + base::format_bytes(max_video_bytes) + ")", std::move(cause)};
}

Error video_source(std::string cause) {
  return {ErrorCode::kVideoSource, "the source is a video, which is not read here", std::move(cause)};
}

Error too_many_bytes_under_way(std::string cause) {
  return {ErrorCode::kOverloaded, "too many sources are being fetched; see Retry-After", std::move(cause)};
}

Error origin_failed(std::string cause) {
  return {ErrorCode::kOriginFailed, "the origin did not deliver this source", std::move(cause)};
}

Error source_changed(std::string cause) {
  return {ErrorCode::kOriginFailed, "the source has changed while it was read", std::move(cause)};
}

Error origin_timed_out(std::chrono::milliseconds total_timeout, std::string cause) {
  return {ErrorCode::kOriginTimeout,
          "the origin did not deliver this source within fetch_timeout (" + base::format_duration(total_timeout) + ")",
          std::move(cause)};
}

Error origin_connect_timed_out(std::chrono::milliseconds connect_timeout, std::string cause) {
  return {ErrorCode::kOriginTimeout,
          "the origin did not take a connection within fetch_connect_timeout (" +
              base::format_duration(connect_timeout) + ")",
          std::move(cause)};
}

Error origin_too_slow(std::uint64_t bytes_per_second, std::chrono::seconds time, std::string cause) {
  return {ErrorCode::kOriginTimeout,
          "the origin delivered this source at less than fetch_low_speed (" + base::format_bytes(bytes_per_second) +
              " a second) for fetch_low_speed_time (" + base::format_duration(time) + ")",
          std::move(cause)};
}

Error source_fault(std::string cause) {
  return {ErrorCode::kInternal, "the source could not be read", std::move(cause)};
}

std::string system_message(int error_number) {
  return std::system_category().message(error_number);
}

}  // namespace optimux::source
