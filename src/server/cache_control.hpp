#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace optimux::server {

/// The value of `Cache-Control` so that no cache gives the answer out for longer than `most`: `max-age` and `s-maxage`
/// no larger, `max-age` added where there is none, and nothing left that lets a cache go beyond (`immutable`,
/// `stale-while-revalidate`, `stale-if-error`). What forbids keeping stays as it is. `most` is not negative.
std::string limit_cache_time(std::string_view cache_control, std::chrono::seconds most);

}  // namespace optimux::server
