#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "server/file_descriptor.hpp"
#include "server/listen_address.hpp"

namespace optimux::server {

struct ListenOptions {
  bool reuse_port = false;
  int backlog = 1024;
  unsigned unix_mode = 0660;
};

/// What `AcceptedSocket::client` says of Unix sockets, whose clients have no address.
inline constexpr std::string_view kUnixClient = "unix";

/// Bytes not yet sent that TCP holds of an accepted connection before it takes no more; it takes more again below half
/// of it (TCP_NOTSENT_LOWAT). By default these would be megabytes, and more would be taken only once a third of them is
/// gone: until then a client that reads slowly could not be told from one that does not read.
inline constexpr int kMostUnsentBytes = 64 << 10;

/// A connection as it comes from a listening socket: non-blocking, closed on exec; over TCP with TCP_NODELAY and
/// `kMostUnsentBytes`.
struct AcceptedSocket {
  FileDescriptor descriptor;
  std::string client;  ///< Numeric address without the port; `unix` for a Unix socket.
};

/// A bound, listening, non-blocking socket. A Unix socket's file is removed with it, if it was made here.
class ListeningSocket {
 public:
  /// Binds and listens. The file of a Unix socket that nobody listens on is replaced. Errors: kInvalidParameter naming
  /// the address and what the system said.
  static base::Result<ListeningSocket> open(const ListenAddress& address, const ListenOptions& options);
  /// Takes over a socket that is bound and listening already. Errors: kInvalidParameter if it is not.
  static base::Result<ListeningSocket> adopt(FileDescriptor descriptor);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&& other) noexcept = delete;
  ~ListeningSocket();

  enum class AcceptOutcome {
    kAccepted,
    kNone,       ///< Nothing is queued.
    kExhausted,  ///< No descriptors or memory left: try again later, not at once.
  };
  /// Takes the next queued connection, without blocking. Connections that broke while they were queued are skipped.
  AcceptOutcome accept(AcceptedSocket& connection);

  /// The address that is really bound.
  const ListenAddress& address() const { return address_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  ListeningSocket(FileDescriptor descriptor, ListenAddress address, bool owns_path)
      : descriptor_(std::move(descriptor)), address_(std::move(address)), owns_path_(owns_path) {}

  FileDescriptor descriptor_;
  ListenAddress address_;
  bool owns_path_ = false;
};

}  // namespace optimux::server
