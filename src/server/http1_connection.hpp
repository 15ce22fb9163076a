#pragma once

#include <memory>
#include <string>

#include "server/connection_registry.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// What a connection is part of. All of it outlives the connection.
struct ConnectionHost {
  ServerState& state;
  const Router& router;
  ConnectionRegistry& registry;
};

/// Serves one HTTP/1.1 connection, as one coroutine in the loop's thread, until it ends; then it destroys itself. With
/// `refuse` its first request is answered 503, whatever it is, and the connection is closed.
///
/// Requests are answered in the order in which they came, one at a time. Bytes are written as they are made; a client
/// that takes them too slowly (`SendPatience`) is cut off. While an answer is being waited for, the connection watches
/// for the client's end: a client that has left takes its request with it, however much it has sent before.
void start_http1_connection(const ConnectionHost& host, std::unique_ptr<Transport> transport, std::string client,
                            bool refuse);

}  // namespace optimux::server
