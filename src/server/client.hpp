#pragma once

#include <string>
#include <string_view>

namespace optimux::server {

/// Who is at the other end of a connection, and how it speaks.
struct Client {
  /// Numeric, without the port; `unix` for a Unix socket. In the context of a request: of whoever a trusted proxy asks
  /// for.
  std::string address;
  std::string_view protocol = "h1";  ///< `h1` or `h2`. Of static duration.
  std::string_view tls;              ///< Version of TLS, `1.2` or `1.3`; empty on cleartext. Of static duration.
};

}  // namespace optimux::server
