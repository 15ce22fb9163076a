#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct sockaddr;

namespace optimux::source {

/// An IPv4 or IPv6 address. The IPv4-mapped form (`::ffff:10.0.0.1`) is the IPv4 address that it stands for, as it is
/// for the kernel. A small value type.
class IpAddress {
 public:
  /// Dotted decimal or RFC 4291 text; nothing for anything else, octal and hexadecimal parts, zones and brackets
  /// included.
  static std::optional<IpAddress> parse(std::string_view text);
  /// Nothing for families other than AF_INET and AF_INET6. `address` must be as long as its family asks for.
  static std::optional<IpAddress> from_socket_address(const sockaddr& address);
  static IpAddress from_v4(std::uint32_t host_order);

  bool is_v4() const { return is_v4_; }
  /// 32 for IPv4, 128 for IPv6.
  int bit_count() const { return is_v4_ ? 32 : 128; }
  /// Byte `index` in network order, from 0 to 3 or 15.
  std::uint8_t byte(int index) const { return bytes_[index]; }
  std::string text() const;
  bool operator==(const IpAddress&) const = default;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  static IpAddress from_v6(const Bytes& bytes);

  bool is_v4_ = true;
  Bytes bytes_{};  ///< Network order; an IPv4 address takes the first four.
};

/// A block of addresses, `10.0.0.0/8` or `fc00::/7`.
class IpNetwork {
 public:
  /// An address alone is a block of one. Errors: kInvalidParameter when `text` is neither, the prefix is longer than
  /// the address, or bits are set behind the prefix.
  static base::Result<IpNetwork> parse(std::string_view text);

  /// Never true for an address of the other family.
  bool contains(const IpAddress& address) const;

 private:
  IpAddress first_;
  int prefix_bits_ = 32;
};

}  // namespace optimux::source
