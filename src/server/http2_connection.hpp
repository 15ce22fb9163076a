#pragma once

#include <optional>

#include "server/connection_start.hpp"

namespace optimux::server {

/// Serves one HTTP/2 connection, as one coroutine in the loop's thread, until it ends; then it destroys itself. Does
/// not block.
///
/// Requests are answered side by side, an `Exchange` each. What is sent next is picked by the session's scheduler
/// across all of them, and only as much at once as the network takes: the next pick is made when the last write is
/// through. A client that resets a stream, or leaves, takes its requests with it.
void start_http2_connection(const ConnectionHost& host, Arrival arrival, std::optional<Http2Upgrade> upgrade);

}  // namespace optimux::server
