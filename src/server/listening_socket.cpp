#include "server/listening_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace optimux::server {
namespace {

/// An address in the form of the system.
struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SystemAddress to_system(const ListenAddress& address) {
  SystemAddress result;
  if (address.kind == ListenAddress::Kind::kUnix) {
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    std::memcpy(path.sun_path, address.host.c_str(), address.host.size() + 1);
    std::memcpy(&result.storage, &path, sizeof(path));
    result.length = sizeof(path);
  } else if (address.kind == ListenAddress::Kind::kIpv4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
    std::memcpy(&result.storage, &v4, sizeof(v4));
    result.length = sizeof(v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    std::memcpy(&result.storage, &v6, sizeof(v6));
    result.length = sizeof(v6);
  }
  return result;
}

ListenAddress from_system(const SystemAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof(v4));
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {ListenAddress::Kind::kIpv4, text.data(), ntohs(v4.sin_port)};
  }
  if (address.storage.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address.storage, sizeof(v6));
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return {ListenAddress::Kind::kIpv6, text.data(), ntohs(v6.sin6_port)};
  }
  sockaddr_un path{};
  std::memcpy(&path, &address.storage, sizeof(path));
  return {ListenAddress::Kind::kUnix, std::string(path.sun_path, strnlen(path.sun_path, sizeof(path.sun_path))), 0};
}

int family_of(ListenAddress::Kind kind) {
  if (kind == ListenAddress::Kind::kUnix) return AF_UNIX;
  return kind == ListenAddress::Kind::kIpv4 ? AF_INET : AF_INET6;
}

tl::unexpected<base::Error> refuse(const std::string& where, std::string_view action) {
  return base::fail(base::ErrorCode::kInvalidParameter,
                    "cannot " + std::string(action) + ' ' + where + ": " + std::generic_category().message(errno));
}

bool set_option(int descriptor, int level, int option, int value) {
  return setsockopt(descriptor, level, option, &value, sizeof(value)) == 0;
}

bool set_flag(int descriptor, int level, int option) {
  return set_option(descriptor, level, option, 1);
}

/// A socket file outlives the process that made it. It is in nobody's way when nobody answers behind it.
void remove_stale_socket_file(const ListenAddress& address) {
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SystemAddress target = to_system(address);
  if (probe && connect(probe.get(), target.get(), target.length) != 0 && errno == ECONNREFUSED) {
    unlink(address.host.c_str());
  }
}

bool configure(int descriptor, const ListenAddress& address, const ListenOptions& options) {
  if (address.kind == ListenAddress::Kind::kUnix) return true;
  if (!set_flag(descriptor, SOL_SOCKET, SO_REUSEADDR)) return false;
  if (options.reuse_port && !set_flag(descriptor, SOL_SOCKET, SO_REUSEPORT)) return false;
  return address.kind != ListenAddress::Kind::kIpv6 || set_flag(descriptor, IPPROTO_IPV6, IPV6_V6ONLY);
}

bool is_worth_another_try(int error) {
  return error == EINTR || error == ECONNABORTED || error == EPROTO || error == ENETDOWN || error == EHOSTDOWN ||
         error == EHOSTUNREACH || error == ENETUNREACH || error == EPERM;
}

}  // namespace

base::Result<ListeningSocket> ListeningSocket::open(const ListenAddress& address, const ListenOptions& options) {
  const std::string where = url_of(address);
  FileDescriptor descriptor(socket(family_of(address.kind), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor) return refuse(where, "make a socket for");
  if (!configure(descriptor.get(), address, options)) return refuse(where, "set socket options for");
  const bool is_unix = address.kind == ListenAddress::Kind::kUnix;
  if (is_unix) remove_stale_socket_file(address);
  SystemAddress target = to_system(address);
  if (bind(descriptor.get(), target.get(), target.length) != 0) return refuse(where, "bind");
  if (is_unix && chmod(address.host.c_str(), options.unix_mode) != 0) return refuse(where, "set the permissions of");
  if (listen(descriptor.get(), options.backlog) != 0) return refuse(where, "listen on");
  SystemAddress bound;
  if (getsockname(descriptor.get(), bound.get(), &bound.length) != 0) return refuse(where, "read the address of");
  return ListeningSocket(std::move(descriptor), is_unix ? address : from_system(bound), is_unix);
}

base::Result<ListeningSocket> ListeningSocket::adopt(FileDescriptor descriptor) {
  const std::string where = "passed socket " + std::to_string(descriptor.get());
  int is_listening = 0;
  socklen_t length = sizeof(is_listening);
  if (getsockopt(descriptor.get(), SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &length) != 0) return refuse(where, "use");
  if (is_listening == 0) {
    return base::fail(base::ErrorCode::kInvalidParameter, "cannot use " + where + ": it does not listen");
  }
  const int flags = fcntl(descriptor.get(), F_GETFL);
  if (fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) return refuse(where, "use");
  if (fcntl(descriptor.get(), F_SETFD, FD_CLOEXEC) != 0) return refuse(where, "use");
  SystemAddress bound;
  if (getsockname(descriptor.get(), bound.get(), &bound.length) != 0) return refuse(where, "read the address of");
  return ListeningSocket(std::move(descriptor), from_system(bound), false);
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      address_(std::move(other.address_)),
      owns_path_(std::exchange(other.owns_path_, false)) {}

ListeningSocket::~ListeningSocket() {
  if (owns_path_) unlink(address_.host.c_str());
}

ListeningSocket::AcceptOutcome ListeningSocket::accept(AcceptedSocket& connection) {
  SystemAddress peer;
  int descriptor = -1;
  do {
    peer.length = sizeof(peer.storage);
    descriptor = accept4(descriptor_.get(), peer.get(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (descriptor < 0 && is_worth_another_try(errno));
  if (descriptor < 0) return errno == EAGAIN ? AcceptOutcome::kNone : AcceptOutcome::kExhausted;
  connection.descriptor = FileDescriptor(descriptor);
  if (address_.kind == ListenAddress::Kind::kUnix) {
    connection.client = kUnixClient;
  } else {
    set_flag(descriptor, IPPROTO_TCP, TCP_NODELAY);
    set_option(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kMostUnsentBytes);
    connection.client = from_system(peer).host;
  }
  return AcceptOutcome::kAccepted;
}

}  // namespace optimux::server
