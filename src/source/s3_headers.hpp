#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "source/object_store.hpp"
#include "source/s3_credentials.hpp"
#include "source/s3_endpoint.hpp"

namespace optimux::source {

/// The method of the request that does `action`.
std::string_view s3_method(ObjectRequest::Action action);

/// The header lines of `request` to `target`, its signature of `time` among them; without one for anonymous
/// credentials. `payload_hash` is the SHA-256 of the body in hexadecimal digits. Pure.
std::vector<std::string> s3_headers(const ObjectRequest& request, const S3Target& target,
                                    const S3Credentials& credentials, std::string_view region,
                                    std::chrono::system_clock::time_point time, std::string_view payload_hash);

}  // namespace optimux::source
