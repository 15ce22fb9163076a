#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace optimux::server {

/// A place to listen at, as written in the configuration. Host names are not looked up: an address is an address.
struct ListenAddress {
  enum class Kind { kIpv4, kIpv6, kUnix };
  Kind kind = Kind::kIpv4;
  std::string host;        ///< Numeric address without brackets; the path of a Unix socket.
  std::uint16_t port = 0;  ///< 0: the system picks one.

  /// Whether only this machine can reach it: 127.0.0.0/8, ::1 and Unix sockets.
  bool is_local() const;
};

/// Reads `HOST:PORT`, `[V6]:PORT`, `PORT`, `:PORT` or `unix:PATH`; `localhost` and a port alone are 127.0.0.1, `*` and
/// nothing before the colon are 0.0.0.0. `field` is the name of the setting, for the error. Errors: kInvalidParameter.
base::Result<ListenAddress> parse_listen_address(std::string_view field, std::string_view text);

/// As people open it: `http://127.0.0.1:8811`, `https://[::1]:8443`, `unix:/run/optimux.sock`.
std::string url_of(const ListenAddress& address, std::string_view scheme = "http");

}  // namespace optimux::server
