#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/message.hpp"
#include "server/client.hpp"
#include "server/connection_registry.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// A connection as it comes to the protocol that is to be spoken on it, which owns it from then on. Nothing is pending
/// on its transport.
struct Arrival {
  std::unique_ptr<Transport> transport;
  Client client;
  std::string input;  ///< Bytes that have been read of it and not been looked at: they come before the next read.
  /// What the first request is answered with, whatever it is; the connection is closed after that. Unset: it is served.
  std::optional<base::Error> refusal;
};

/// A request that has turned its connection from HTTP/1.1 to HTTP/2 (RFC 7540, section 3.2). `101` has been written;
/// the answer goes out on stream 1, and the client's preface follows in the input.
struct Http2Upgrade {
  http::Request request;
  std::string settings;  ///< Payload of a SETTINGS frame, decoded from `HTTP2-Settings`; a whole number of entries.
};

struct ConnectionHost;

/// Serves a connection as HTTP/2 until it ends, in the loop's thread; does not block, and the connection is in the
/// registry when this returns. The client's preface is the first thing in `arrival.input` and what follows it, as far
/// as it has come: after ALPN that is nothing yet, after a preface on a cleartext connection at least all of it.
/// `upgrade` is unset but for `Upgrade: h2c`.
using Http2Starter = void (*)(const ConnectionHost& host, Arrival arrival, std::optional<Http2Upgrade> upgrade);

/// What a connection is part of. All of it outlives the connection.
struct ConnectionHost {
  ServerState& state;
  const Router& router;
  ConnectionRegistry& registry;
  Http2Starter http2 = nullptr;  ///< Unset: HTTP/1.1 only, and nothing else is offered.
};

}  // namespace optimux::server
