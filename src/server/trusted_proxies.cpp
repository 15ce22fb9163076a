#include "server/trusted_proxies.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "server/listening_socket.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kForwarded = "forwarded";
constexpr std::string_view kForwardedFor = "x-forwarded-for";

std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
std::optional<source::IpAddress> parse_node(std::string_view text) {
  text = without_quotes(base::trim(text));
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    return end == std::string_view::npos ? std::nullopt : source::IpAddress::parse(text.substr(1, end - 1));
  }
  const bool has_port = std::ranges::count(text, ':') == 1;
  return source::IpAddress::parse(has_port ? text.substr(0, text.find(':')) : text);
}

/// What stands between the separators that are in no quoted string (RFC 9110, section 5.6.4). A string that does not
/// end takes the rest: what a client says within quotes must not look like what a proxy says.
std::vector<std::string_view> split_outside_quotes(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted && text[i] == '\\') ++i;
    if (is_quoted || i >= text.size() || text[i] != separator) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The node of `for=` in one element of `Forwarded`; empty if there is none.
std::string_view node_of(std::string_view element) {
  for (const std::string_view pair : split_outside_quotes(element, ';')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (base::equals_ignoring_case(base::trim(pair.substr(0, equals)), "for")) return pair.substr(equals + 1);
  }
  return {};
}

}  // namespace

base::Result<TrustedProxies> TrustedProxies::make(const std::vector<std::string>& entries, std::string_view header) {
  TrustedProxies proxies;
  for (const std::string& entry : entries) {
    if (entry == kUnixClient) {
      proxies.trusts_unix_ = true;
      continue;
    }
    const auto network = source::IpNetwork::parse(entry);
    if (!network) {
      return base::fail(base::ErrorCode::kInvalidParameter, "trusted_proxies: " + network.error().detail);
    }
    proxies.networks_.push_back(*network);
  }
  if (header != kForwarded && header != kForwardedFor) {
    return base::fail(base::ErrorCode::kInvalidParameter,
                      "forwarded_header: '" + std::string(header) + "' is not x-forwarded-for or forwarded");
  }
  proxies.reads_forwarded_ = header == kForwarded;
  return proxies;
}

std::string TrustedProxies::client_of(const std::string& peer, const http::Headers& headers) const {
  if (!trusts_peer(peer)) return peer;
  const std::string list = headers.joined(reads_forwarded_ ? kForwarded : kForwardedFor);
  std::string client = peer;
  const auto elements = reads_forwarded_ ? split_outside_quotes(list, ',') : base::split(list, ',');
  for (auto element = elements.rbegin(); element != elements.rend(); ++element) {
    const auto address = parse_node(reads_forwarded_ ? node_of(*element) : *element);
    if (!address) break;
    client = address->text();
    if (!trusts(*address)) break;
  }
  return client;
}

bool TrustedProxies::trusts_peer(std::string_view peer) const {
  if (peer == kUnixClient) return trusts_unix_;
  if (networks_.empty()) return false;
  const auto address = source::IpAddress::parse(peer);
  return address && trusts(*address);
}

bool TrustedProxies::trusts(const source::IpAddress& address) const {
  return std::ranges::any_of(networks_,
                             [&address](const source::IpNetwork& network) { return network.contains(address); });
}

}  // namespace optimux::server
