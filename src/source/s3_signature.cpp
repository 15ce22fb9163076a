#include "source/s3_signature.hpp"

#include <array>
#include <ctime>

#include "base/hmac.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

// The terms are those of "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)" in the
// API reference of Amazon S3.
namespace optimux::source {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kService = "s3";
constexpr std::string_view kTerminator = "aws4_request";
constexpr std::size_t kDayDigits = 8;

std::string signed_headers(const S3RequestToSign& request) {
  std::string names;
  for (const auto& [name, value] : request.headers) names.append(names.empty() ? "" : ";").append(name);
  return names;
}

std::string canonical_request(const S3RequestToSign& request) {
  std::string text = request.method + '\n' + request.path + '\n' + request.query + '\n';
  for (const auto& [name, value] : request.headers) text.append(name).append(":").append(value).append("\n");
  return text + '\n' + signed_headers(request) + '\n' + request.payload_hash;
}

std::string credential_scope(std::string_view day, std::string_view region) {
  std::string scope(day);
  for (const std::string_view part : {region, kService, kTerminator}) scope.append("/").append(part);
  return scope;
}

// It fails for nothing but want of memory; then there is no signature, and the store says so.
std::string keyed_hash(std::string_view key, std::string_view bytes) {
  return base::hmac_sha256(key, bytes).value_or(std::string());
}

std::string signing_key(std::string_view secret, std::string_view day, std::string_view region) {
  std::string key = "AWS4" + std::string(secret);
  for (const std::string_view part : {day, region, kService, kTerminator}) key = keyed_hash(key, part);
  return key;
}

}  // namespace

std::string s3_date(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

std::string s3_authorization(const S3RequestToSign& request, const S3Credentials& credentials, std::string_view region,
                             std::string_view date) {
  const std::string_view day = date.substr(0, kDayDigits);
  const std::string scope = credential_scope(day, region);
  const std::string to_sign = std::string(kAlgorithm) + '\n' + std::string(date) + '\n' + scope + '\n' +
                              base::hex(base::sha256(canonical_request(request)));
  const std::string signature = base::hex(keyed_hash(signing_key(credentials.secret_key, day, region), to_sign));
  return std::string(kAlgorithm) + " Credential=" + credentials.access_key + '/' + scope +
         ", SignedHeaders=" + signed_headers(request) + ", Signature=" + signature;
}

}  // namespace optimux::source
