#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "source/circuit_breaker.hpp"
#include "source/http_exchange.hpp"
#include "source/object_store.hpp"
#include "source/s3_credential_keeper.hpp"
#include "source/s3_endpoint.hpp"
#include "source/s3_settings.hpp"

namespace optimux::source {

/// What has happened; read by any thread.
struct S3Counters {
  std::atomic<std::uint64_t> gets = 0;
  std::atomic<std::uint64_t> heads = 0;
  std::atomic<std::uint64_t> puts = 0;
  std::atomic<std::uint64_t> deletes = 0;
  std::atomic<std::uint64_t> lists = 0;
  std::atomic<std::uint64_t> failures = 0;
  std::atomic<std::uint64_t> retries = 0;
  std::atomic<std::uint64_t> breaker_opens = 0;
  std::atomic<std::uint64_t> breaker_refusals = 0;
  std::atomic<std::uint64_t> open_breakers = 0;
};

/// What the calls to one store share. It outlives them. Of the loop's thread alone, but for the counters.
struct S3Context {
  const S3Settings& settings;
  const S3Endpoint& endpoint;
  const HttpContext& http;
  S3CredentialKeeper& credentials;
  S3Counters& counters;
  std::map<std::string, CircuitBreaker> breakers = {};  ///< By authority: as many as there are buckets.
  std::chrono::seconds clock_offset{0};                 ///< What the store's clock is ahead of this machine's.
  std::minstd_rand random{std::random_device{}()};
};

}  // namespace optimux::source
