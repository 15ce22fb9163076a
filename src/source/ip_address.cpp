#include "source/ip_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace optimux::source {
namespace {

constexpr int kMappedPrefixBits = 96;
constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

bool bit_of(const IpAddress& address, int bit) {
  return ((address.byte(bit / 8) >> (7 - bit % 8)) & 1) != 0;
}

tl::unexpected<base::Error> no_network(std::string_view text, const char* why) {
  return base::fail(base::ErrorCode::kInvalidParameter, "'" + std::string(text) + "' " + why);
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != std::strlen(terminated.c_str())) return std::nullopt;
  in_addr v4{};
  if (::inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return from_v4(ntohl(v4.s_addr));
  Bytes v6{};
  if (::inet_pton(AF_INET6, terminated.c_str(), v6.data()) == 1) return from_v6(v6);
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::from_socket_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return from_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    Bytes bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return from_v6(bytes);
  }
  return std::nullopt;
}

IpAddress IpAddress::from_v4(std::uint32_t host_order) {
  IpAddress address;
  for (int i = 0; i < 4; ++i) address.bytes_[i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  return address;
}

IpAddress IpAddress::from_v6(const Bytes& bytes) {
  IpAddress address;
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
    std::copy(bytes.begin() + kMappedPrefix.size(), bytes.end(), address.bytes_.begin());
    return address;
  }
  address.is_v4_ = false;
  address.bytes_ = bytes;
  return address;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), buffer.data(), buffer.size());
  return buffer.data();
}

base::Result<IpNetwork> IpNetwork::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view address_text = text.substr(0, slash);
  const auto address = IpAddress::parse(address_text);
  if (!address) return no_network(text, "is no IP address and no CIDR block");
  IpNetwork network;
  network.first_ = *address;
  network.prefix_bits_ = address->bit_count();
  if (slash == std::string_view::npos) return network;

  auto bits = base::parse_number<int>(text.substr(slash + 1));
  const bool mapped = address->is_v4() && address_text.find(':') != std::string_view::npos;
  if (bits && mapped) *bits -= kMappedPrefixBits;
  if (!bits || *bits < 0 || *bits > address->bit_count()) return no_network(text, "has a prefix length out of range");
  network.prefix_bits_ = *bits;
  for (int bit = *bits; bit < address->bit_count(); ++bit) {
    if (bit_of(*address, bit)) return no_network(text, "has bits set behind its prefix");
  }
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const {
  if (address.is_v4() != first_.is_v4()) return false;
  for (int bit = 0; bit < prefix_bits_; ++bit) {
    if (bit_of(address, bit) != bit_of(first_, bit)) return false;
  }
  return true;
}

}  // namespace optimux::source
