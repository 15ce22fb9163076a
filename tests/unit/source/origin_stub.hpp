#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "source/descriptor.hpp"
#include "unit/source/tls_identity.hpp"

namespace optimux::source {

/// One accepted connection, used by one thread.
class OriginConnection {
 public:
  /// Speaks TLS if there is an identity.
  OriginConnection(Descriptor socket, const TlsIdentity* identity);

  /// Does the TLS handshake, if there is to be one. False when the client does not like it.
  bool accept();

  /// The next request's head, line ends included; empty when the client is gone. Who starts to speak TLS is answered
  /// as soon as that can be seen.
  std::string read_request();
  /// `count` bytes of a request's body; fewer when the client is gone.
  std::string read_body(std::size_t count);
  /// False when the client is gone. Blocks for as long as the client does not read.
  bool send(std::string_view bytes);
  /// Waits until the client closes or the stub ends: how an origin stalls.
  void stall();
  /// Ends the connection with a reset.
  void reset();
  /// Ends the connection in the orderly way.
  void close();
  /// Makes calls that block return. Any thread.
  void interrupt();

 private:
  void drop();
  ssize_t receive(char* bytes, std::size_t size);
  ssize_t transmit(std::string_view bytes);

  std::mutex mutex_;  ///< Guards the descriptor's life against `interrupt`.
  Descriptor socket_;
  Openssl<SSL> tls_;
};

/// An HTTP origin that does what a test says, in threads of its own.
class OriginStub {
 public:
  /// Called for each request, with its head; returns false to end the connection.
  using Handler = std::function<bool(OriginConnection& connection, const std::string& request)>;

  /// Listens on a free port of `address`, an IPv4 or IPv6 literal. Throws std::system_error where the machine has no
  /// such address.
  explicit OriginStub(Handler handler, const std::string& address = "127.0.0.1", const TlsIdentity* identity = nullptr);
  OriginStub(const OriginStub&) = delete;
  OriginStub& operator=(const OriginStub&) = delete;
  ~OriginStub();

  int port() const { return port_; }
  /// An absolute URL on this origin, or on `host` under its port.
  std::string url(std::string_view path, std::string_view host = "") const;
  int connection_count() const { return connection_count_; }
  std::vector<std::string> requests() const;

 private:
  struct Session {
    Session(Descriptor socket, const TlsIdentity* identity) : connection(std::move(socket), identity) {}
    OriginConnection connection;
    std::thread thread;
  };
  void accept_all();
  void serve(Session& session);

  const Handler handler_;
  const std::string address_;
  const TlsIdentity* const identity_;
  Descriptor listener_;
  int port_ = 0;
  std::atomic<int> connection_count_ = 0;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::vector<std::string> requests_;
  std::list<Session> sessions_;
  std::thread acceptor_;
};

/// A whole answer with a Content-Length. `headers` are whole lines.
std::string answer(std::string_view status, std::string_view body, std::string_view headers = "");

/// A handler that sends the same answer to every request.
OriginStub::Handler always(std::string bytes);

/// The path in the first line of a request's head.
std::string path_of(std::string_view request);

/// True when the head has a line that starts with `field` (`Via:`), whatever its case.
bool has_field(std::string_view request, std::string_view field);

}  // namespace optimux::source
