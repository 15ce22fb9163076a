#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "http/headers.hpp"
#include "source/ip_address.hpp"

namespace optimux::server {

/// The proxies that are believed when they say for whom they ask. Immutable, so any thread may ask.
class TrustedProxies {
 public:
  /// Nobody is believed.
  TrustedProxies() = default;

  /// Each entry is an address, a network in CIDR notation, or `unix`: whoever comes over a Unix socket. `header` is the
  /// field in which they say it, `x-forwarded-for` or `forwarded` (RFC 7239): that one alone is read, since a proxy
  /// that writes one passes the other on as its client has sent it. Errors: kInvalidParameter that names the option.
  static base::Result<TrustedProxies> make(const std::vector<std::string>& entries, std::string_view header);

  /// Who asks, when `peer` (as in `Client::address`) has sent `headers`: of the list in them, from its end on, the
  /// first one that is no trusted proxy, since what stands before it anybody can have written. Where the list ends, or
  /// cannot be read, it is the last one that was understood. The address is numeric and without a port.
  std::string client_of(const std::string& peer, const http::Headers& headers) const;

 private:
  bool trusts_peer(std::string_view peer) const;
  bool trusts(const source::IpAddress& address) const;

  std::vector<source::IpNetwork> networks_;
  bool trusts_unix_ = false;
  bool reads_forwarded_ = false;  ///< `Forwarded`, and not `X-Forwarded-For`.
};

}  // namespace optimux::server
