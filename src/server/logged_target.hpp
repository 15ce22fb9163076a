#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace optimux::server {

/// A request target as it stands in the log: cut at `max_bytes`, and without the query of its `image_url`, which may
/// hold the signature or the token with which the origin is asked (causes in the log leave it out as well). What
/// follows an `image_url` whose own query is not percent-encoded cannot be told from that query, and goes with it.
std::string logged_target(std::string_view target, std::size_t max_bytes);

}  // namespace optimux::server
