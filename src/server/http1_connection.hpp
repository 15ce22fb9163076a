#pragma once

#include "server/connection_start.hpp"

namespace optimux::server {

/// Serves one HTTP/1.1 connection, as one coroutine in the loop's thread, until it ends; then it destroys itself.
///
/// Requests are answered in the order in which they came, one at a time. Bytes are written as they are made; a client
/// that takes them too slowly (`SendPatience`) is cut off. While an answer is being waited for, the connection watches
/// for the client's end: a client that has left takes its request with it, however much it has sent before.
///
/// A connection whose first request asks for HTTP/2 (`Upgrade: h2c`) goes on as that, if the host has it.
void start_http1_connection(const ConnectionHost& host, Arrival arrival);

}  // namespace optimux::server
