#pragma once

#include <cstddef>
#include <optional>

namespace optimux::server {

/// Bytes that TCP would send at once if `socket` were given them now: what its congestion window has room for, less
/// what waits unsent already. Nothing for a socket that is not TCP. Does not block.
std::optional<std::size_t> tcp_room(int socket);

}  // namespace optimux::server
