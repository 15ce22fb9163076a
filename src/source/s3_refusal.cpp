#include "source/s3_refusal.hpp"

#include <algorithm>
#include <initializer_list>

#include "source/source_error.hpp"
#include "source/xml_text.hpp"

// Codes and statuses: "Error responses" in the API reference of Amazon S3.
namespace optimux::source {
namespace {

constexpr std::size_t kMaxLoggedBytes = 300;

bool is_one_of(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

S3Refusal S3Refusal::read(int status, std::string_view body) {
  return {status, xml_text(body, "Code"), xml_text(body, "Message").substr(0, kMaxLoggedBytes)};
}

S3Remedy remedy_for(const S3Refusal& refusal) {
  if (refusal.code == "RequestTimeTooSkewed") return S3Remedy::kCorrectClock;
  if (is_one_of(refusal.code, {"ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "TokenRefreshRequired"})) {
    return S3Remedy::kRenewCredentials;
  }
  if (is_failure_of_store(refusal)) return S3Remedy::kRetry;
  return S3Remedy::kNone;
}

bool is_failure_of_store(const S3Refusal& refusal) {
  return refusal.status >= 500 || refusal.status == 429 || is_one_of(refusal.code, {"RequestTimeout", "SlowDown"});
}

base::Error error_for(const S3Refusal& refusal, const std::string& place) {
  std::string cause = place + ": status " + std::to_string(refusal.status);
  if (!refusal.code.empty()) cause += " " + refusal.code + ": " + refusal.message;
  // The clock is a matter of this machine, however the store words it.
  if (refusal.code == "RequestTimeTooSkewed" || is_failure_of_store(refusal)) return origin_failed(std::move(cause));
  if (refusal.status == 404 || refusal.status == 410 ||
      is_one_of(refusal.code, {"KeyTooLongError", "InvalidURI", "InvalidBucketName"})) {
    return source_not_found(std::move(cause));
  }
  if (refusal.status == 401 || refusal.status == 403) return source_not_allowed(std::move(cause));
  if (refusal.status == 416) {
    return {base::ErrorCode::kRangeNotSatisfiable, "the object has no byte of the range", std::move(cause)};
  }
  if (refusal.status == 412) return source_changed(std::move(cause));
  return origin_failed(std::move(cause));
}

}  // namespace optimux::source
