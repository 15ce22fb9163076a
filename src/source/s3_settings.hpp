#pragma once

#include <string>

#include "source/circuit_breaker.hpp"
#include "source/http_settings.hpp"
#include "source/retry_delay.hpp"
#include "source/s3_endpoint.hpp"

namespace optimux::source {

/// How an object store of S3's kind is reached.
struct S3Settings {
  HttpSettings http;     ///< Limits of each request. Its policy is not asked: the configuration names the endpoint.
  std::string endpoint;  ///< `http://HOST[:PORT]` or `https://HOST[:PORT]`; empty: Amazon's of the region.
  std::string region;    ///< As in `us-east-1`.
  S3Addressing addressing = S3Addressing::kAuto;
  int max_attempts = 3;  ///< Of one request, within its time; at least 1.
  RetryDelays delays;    ///< Between them.
  BreakerSettings breaker;
};

}  // namespace optimux::source
