#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace optimux::base {

/// The 32 bytes of HMAC-SHA256 (RFC 2104, FIPS 180-4) of `message` under `key`, both of any length. Errors: kInternal
/// when OpenSSL has no memory or no such algorithm. Does not block; thread-safe.
Result<std::string> hmac_sha256(std::string_view key, std::string_view message);

/// Whether both are the same, in a time that tells nothing of where they differ; only different lengths are told at
/// once.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace optimux::base
