#include "server/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <optional>

#include "base/text.hpp"

namespace optimux::server {
namespace {

base::Result<ListenAddress> refuse(std::string_view field, std::string_view text) {
  return base::fail(base::ErrorCode::kInvalidParameter,
                    std::string(field) + ": '" + std::string(text) +
                        "' is not HOST:PORT, [V6]:PORT, PORT, :PORT or unix:PATH with a "
                        "numeric host and a port from 0 to 65535");
}

std::optional<ListenAddress::Kind> kind_of(const std::string& host) {
  in6_addr storage{};
  if (inet_pton(AF_INET, host.c_str(), &storage) == 1) return ListenAddress::Kind::kIpv4;
  if (inet_pton(AF_INET6, host.c_str(), &storage) == 1) return ListenAddress::Kind::kIpv6;
  return std::nullopt;
}

}  // namespace

bool ListenAddress::is_local() const {
  return kind == Kind::kUnix || (kind == Kind::kIpv4 && host.starts_with("127.")) ||
         (kind == Kind::kIpv6 && host == "::1");
}

base::Result<ListenAddress> parse_listen_address(std::string_view field, std::string_view text) {
  if (text.starts_with("unix:")) {
    const std::string_view path = text.substr(5);
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) return refuse(field, text);
    return ListenAddress{ListenAddress::Kind::kUnix, std::string(path), 0};
  }
  const std::size_t colon = text.rfind(':');
  const bool is_port_alone = colon == std::string_view::npos;
  const auto port = base::parse_number<std::uint16_t>(is_port_alone ? text : text.substr(colon + 1));
  std::string host(is_port_alone ? "localhost" : text.substr(0, colon));
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (host == "*" || host.empty()) host = "0.0.0.0";
  const auto kind = kind_of(host);
  if (!port || !kind || in_brackets != (kind == ListenAddress::Kind::kIpv6)) return refuse(field, text);
  return ListenAddress{*kind, std::move(host), *port};
}

std::string url_of(const ListenAddress& address, std::string_view scheme) {
  if (address.kind == ListenAddress::Kind::kUnix) return "unix:" + address.host;
  const bool is_v6 = address.kind == ListenAddress::Kind::kIpv6;
  return std::string(scheme) + "://" + (is_v6 ? '[' + address.host + ']' : address.host) + ':' +
         std::to_string(address.port);
}

}  // namespace optimux::server
