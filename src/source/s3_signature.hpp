#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "source/s3_credentials.hpp"

namespace optimux::source {

/// What of a request is signed. All of it is sent exactly so.
struct S3RequestToSign {
  std::string method;
  std::string path;                            ///< Percent-encoded, `/` kept.
  std::string query;                           ///< In order of its names, all percent-encoded; empty: none.
  std::map<std::string, std::string> headers;  ///< Names in lower case, values without blanks at their ends.
  std::string payload_hash;                    ///< SHA-256 of the body in lower-case hexadecimal digits.
};

/// `20261130T203100Z`: the form of `x-amz-date`.
std::string s3_date(std::chrono::system_clock::time_point time);

/// The value of `Authorization` by AWS Signature Version 4. All headers are signed; they
/// must hold `host` and `x-amz-date`, the latter with `date`. Pure.
std::string s3_authorization(const S3RequestToSign& request, const S3Credentials& credentials, std::string_view region,
                             std::string_view date);

}  // namespace optimux::source
