#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "source/ip_address.hpp"

namespace optimux::source {

/// Which addresses may be connected to on behalf of somebody who wrote a URL. Without allowances: globally reachable
/// unicast addresses alone, so that no URL reaches the machine itself, its neighbours, or its cloud's metadata service.
///
/// Asked for the address that a connection is really opened to, after names are resolved, on every hop. Immutable, so
/// any thread may ask.
class AddressPolicy {
 public:
  /// No allowances.
  AddressPolicy() = default;

  /// Each entry is an address, a CIDR block, or a host name. A block allows its addresses to every request; a name
  /// allows whatever it resolves to, but only to requests for that very name. Errors: kInvalidParameter that names the
  /// entry.
  static base::Result<AddressPolicy> make(const std::vector<std::string>& allowed_sources);

  /// Refuses nothing: for servers that the configuration names, and nobody's URL.
  static AddressPolicy everything();

  /// Why `address` must not be connected to for a request to `host` (as in `HttpUrl::host`), for the log; nothing when
  /// it may.
  std::optional<std::string> refusal(const IpAddress& address, std::string_view host) const;
  /// Whether `host` is allowed by its name, whatever it resolves to.
  bool allows_by_name(std::string_view host) const;
  bool allows(const IpAddress& address, std::string_view host) const { return !refusal(address, host); }

 private:
  std::optional<std::string> refusal(const IpAddress& address) const;
  std::optional<std::string> v6_refusal(const IpAddress& address) const;
  bool is_allowed_network(const IpAddress& address) const;

  bool allows_everything_ = false;
  std::vector<IpNetwork> networks_;
  std::set<std::string, std::less<>> hosts_;
};

}  // namespace optimux::source
