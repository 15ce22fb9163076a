#pragma once

#include <memory>

#include "server/connection_start.hpp"
#include "server/tls_context.hpp"

namespace optimux::server {

/// Finds out what a new connection speaks, and hands it to that protocol; as one coroutine in the loop's thread. Does
/// not block.
///
/// With `tls`: the handshake, then HTTP/2 or HTTP/1.1 as ALPN has it, and HTTP/1.1 for clients without ALPN. Cleartext
/// HTTP where TLS was due is answered with a 400 in cleartext that says so. Without `tls` (nullptr): HTTP/2 if the
/// first bytes are its preface, else HTTP/1.1. All of it has to be over within `header_timeout`, and nothing is
/// allocated for TLS until the client has sent its first byte. Until it is over the connection counts as idle: it makes
/// room for others when there are too many.
void open_connection(const ConnectionHost& host, Arrival arrival, std::shared_ptr<const TlsContext> tls);

}  // namespace optimux::server
