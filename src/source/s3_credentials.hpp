#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace optimux::source {

/// What requests to an object store are signed with. Never written to logs or errors.
struct S3Credentials {
  using Clock = std::chrono::system_clock;

  std::string access_key;  ///< Empty: requests are not signed, for buckets that are open to everybody.
  std::string secret_key;
  std::string session_token;  ///< Empty for keys that last.
  std::optional<Clock::time_point> expires;

  bool is_anonymous() const { return access_key.empty(); }
  bool operator==(const S3Credentials&) const = default;
};

/// Reads the section `[profile]` of a shared credentials file (`aws_access_key_id`, `aws_secret_access_key`,
/// `aws_session_token`; `#` and `;` begin comments). Nothing when there is no such section, or it has no pair of keys.
std::optional<S3Credentials> parse_credentials_file(std::string_view text, std::string_view profile);

/// Reads the JSON document of a container's or an instance's metadata service (`AccessKeyId`, `SecretAccessKey`,
/// `Token`, `Expiration`). Errors: kOriginFailed when it is no such document; its text is not in the error.
base::Result<S3Credentials> parse_credentials_document(std::string_view json);

/// Reads STS's answer to AssumeRoleWithWebIdentity. Errors as above.
base::Result<S3Credentials> parse_web_identity_answer(std::string_view xml);

/// A time of the form `2026-11-30T20:31:00Z`, fractions of a second ignored. Nothing when it is none.
std::optional<S3Credentials::Clock::time_point> parse_iso_time(std::string_view text);

}  // namespace optimux::source
