#include "source/address_policy.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "source/host_name.hpp"

namespace optimux::source {
namespace {

struct Block {
  IpNetwork network;
  const char* name;
};

Block block(const char* network, const char* name) {
  return {IpNetwork::parse(network).value(), name};
}

// The IANA IPv4 special-purpose address registry (RFC 6890 and its updates), what is not globally reachable; and
// multicast.
const std::vector<Block>& refused_v4() {
  static const std::vector<Block> kBlocks = {
      block("0.0.0.0/8", "this network (RFC 791)"),
      block("10.0.0.0/8", "private (RFC 1918)"),
      block("100.64.0.0/10", "shared by carrier-grade NAT (RFC 6598)"),
      block("127.0.0.0/8", "loopback (RFC 1122)"),
      block("169.254.0.0/16", "link-local (RFC 3927)"),
      block("172.16.0.0/12", "private (RFC 1918)"),
      block("192.0.0.0/24", "protocol assignments (RFC 6890)"),
      block("192.0.2.0/24", "documentation (RFC 5737)"),
      block("192.88.99.0/24", "6to4 relay (RFC 7526)"),
      block("192.168.0.0/16", "private (RFC 1918)"),
      block("198.18.0.0/15", "benchmarking (RFC 2544)"),
      block("198.51.100.0/24", "documentation (RFC 5737)"),
      block("203.0.113.0/24", "documentation (RFC 5737)"),
      block("224.0.0.0/4", "multicast (RFC 5771)"),
      block("240.0.0.0/4", "reserved or broadcast (RFC 1112)"),
      // Looks public, but is answered by the host of every virtual machine in Azure, with secrets of that machine.
      block("168.63.129.16/32", "Azure's platform service"),
  };
  return kBlocks;
}

// Blocks within global unicast, 2000::/3, that are not globally reachable (the IANA IPv6 special-purpose registry).
// Teredo and 6to4 are judged by the IPv4 addresses within, before this list is asked.
const std::vector<Block>& refused_v6() {
  static const std::vector<Block> kBlocks = {
      block("2001::/23", "protocol assignments (RFC 2928)"),
      block("2001:db8::/32", "documentation (RFC 3849)"),
      block("3fff::/20", "documentation (RFC 9637)"),
  };
  return kBlocks;
}

struct V6Prefixes {
  IpNetwork global_unicast = IpNetwork::parse("2000::/3").value();  // RFC 4291: all that was ever given out
  IpNetwork teredo = IpNetwork::parse("2001::/32").value();         // RFC 4380
  IpNetwork six_to_four = IpNetwork::parse("2002::/16").value();    // RFC 3056
  IpNetwork nat64 = IpNetwork::parse("64:ff9b::/96").value();       // RFC 6052, the well-known prefix
};

const V6Prefixes& prefixes() {
  static const V6Prefixes kPrefixes;
  return kPrefixes;
}

IpAddress embedded_v4(const IpAddress& address, int first_byte, std::uint8_t mask = 0) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 8) | static_cast<std::uint8_t>(address.byte(first_byte + i) ^ mask);
  return IpAddress::from_v4(value);
}

// RFC 5214, section 6.1: 00-00-5E-FE or, with the universal bit, 02-00-5E-FE before the IPv4 address.
bool is_isatap(const IpAddress& address) {
  return (address.byte(8) & ~0x02) == 0 && address.byte(9) == 0 && address.byte(10) == 0x5E && address.byte(11) == 0xFE;
}

// The IPv4 addresses that packets to `address` may end up at.
std::vector<IpAddress> embedded_addresses(const IpAddress& address) {
  std::vector<IpAddress> embedded;
  if (prefixes().six_to_four.contains(address)) embedded.push_back(embedded_v4(address, 2));
  if (prefixes().nat64.contains(address)) embedded.push_back(embedded_v4(address, 12));
  if (is_isatap(address)) embedded.push_back(embedded_v4(address, 12));
  if (prefixes().teredo.contains(address)) {
    embedded.push_back(embedded_v4(address, 4));         // The server.
    embedded.push_back(embedded_v4(address, 12, 0xFF));  // The client, inverted (RFC 4380, section 4).
  }
  return embedded;
}

std::optional<std::string> refusing_block(const std::vector<Block>& blocks, const IpAddress& address) {
  for (const Block& candidate : blocks) {
    if (candidate.network.contains(address)) return address.text() + " is " + candidate.name;
  }
  return std::nullopt;
}

}  // namespace

base::Result<AddressPolicy> AddressPolicy::make(const std::vector<std::string>& allowed_sources) {
  AddressPolicy policy;
  for (const std::string& entry : allowed_sources) {
    if (const auto network = IpNetwork::parse(entry)) {
      policy.networks_.push_back(*network);
      continue;
    }
    const std::string lower = base::to_lower(entry);
    const std::string_view host = without_final_dot(lower);
    if (!is_host_name(host)) {
      return base::fail(base::ErrorCode::kInvalidParameter,
                        "allow_source '" + entry + "' is no CIDR block, IP address or host name");
    }
    policy.hosts_.emplace(host);
  }
  return policy;
}

AddressPolicy AddressPolicy::everything() {
  AddressPolicy policy;
  policy.allows_everything_ = true;
  return policy;
}

std::optional<std::string> AddressPolicy::refusal(const IpAddress& address, std::string_view host) const {
  return allows_by_name(host) ? std::nullopt : refusal(address);
}

bool AddressPolicy::allows_by_name(std::string_view host) const {
  return allows_everything_ || hosts_.count(without_final_dot(host)) != 0;
}

std::optional<std::string> AddressPolicy::refusal(const IpAddress& address) const {
  if (is_allowed_network(address)) return std::nullopt;
  return address.is_v4() ? refusing_block(refused_v4(), address) : v6_refusal(address);
}

// Whoever wraps an IPv4 address in an IPv6 one reaches no further than with the IPv4 address itself.
std::optional<std::string> AddressPolicy::v6_refusal(const IpAddress& address) const {
  const std::vector<IpAddress> embedded = embedded_addresses(address);
  for (const IpAddress& inner : embedded) {
    if (auto reason = refusal(inner)) return address.text() + " leads to " + *reason;
  }
  const V6Prefixes& known = prefixes();
  if (known.nat64.contains(address)) return std::nullopt;
  if (!known.global_unicast.contains(address)) return address.text() + " is not global unicast (RFC 4291)";
  if (known.teredo.contains(address)) return std::nullopt;
  return refusing_block(refused_v6(), address);
}

bool AddressPolicy::is_allowed_network(const IpAddress& address) const {
  return std::any_of(networks_.begin(), networks_.end(),
                     [&](const IpNetwork& network) { return network.contains(address); });
}

}  // namespace optimux::source
