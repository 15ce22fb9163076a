#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/event_loop.hpp"
#include "server/tls_context.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// TLS over another transport, at the server's end. Until the handshake is done, nothing else may be read or written.
///
/// One call of `write` makes one record of as many pieces as fit. The client's `close_notify` and the end of the
/// connection below without one read the same, kClosed: requests say themselves where they end. `close` sends no
/// `close_notify`, so a client sees that its answer was cut off; `finish_writing` does.
class TlsTransport : public Transport {
 public:
  enum class Handshake {
    kDone,
    kWaits,   ///< Call again when `when_readable` says so, which then also waits for room to write.
    kFailed,  ///< It cannot be done; the client has been told why, as far as it listens. Only `close` is left.
  };

  /// Goes on with the handshake, as far as that goes without waiting. Takes CPU time for a signature once.
  virtual Handshake handshake() = 0;
  /// Why the handshake failed, for the log.
  virtual const std::string& failure() const = 0;

  // What the handshake has agreed on; after it.

  /// `h2` or `http/1.1`, as ALPN names them; empty when the client named none.
  virtual std::string_view protocol() const = 0;
  virtual TlsVersion version() const = 0;
  /// Whether an earlier session was taken up again, which costs no signature.
  virtual bool is_resumed() const = 0;
};

/// TLS as `context` has it over `below`, of which `input` has been read before. `loop` must outlive it.
std::unique_ptr<TlsTransport> make_tls_transport(EventLoop& loop, std::shared_ptr<const TlsContext> context,
                                                 std::unique_ptr<Transport> below, std::string input);

}  // namespace optimux::server
