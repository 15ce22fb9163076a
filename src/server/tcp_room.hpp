#pragma once

#include <cstddef>
#include <optional>

namespace optimux::server {

/// Bytes that TCP would send at once if `socket` were given them now: what its congestion window has room for, less
/// what waits unsent already. Nothing for a socket that is not TCP. Does not block.
std::optional<std::size_t> tcp_room(int socket);

/// TCP takes bytes of `socket` only while fewer than `bytes` are unsent, and says that it can below half of it
/// (TCP_NOTSENT_LOWAT). Nothing happens for a socket that is not TCP.
void set_tcp_unsent_limit(int socket, std::size_t bytes);

}  // namespace optimux::server
