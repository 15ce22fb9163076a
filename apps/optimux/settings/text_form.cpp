#include "apps/optimux/settings/text_form.hpp"

#include "base/text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace optimux::apps {
namespace {

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

bool is_ip_address(std::string_view text) {
  return is_address(AF_INET, text) || is_address(AF_INET6, text);
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool is_host_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && std::ranges::all_of(label, is_host_character);
}

bool is_host_name(std::string_view text) {
  if (text.size() > 253) return false;
  return std::ranges::all_of(base::split(text, '.'), is_host_label);
}

bool is_port(std::string_view text) {
  return base::parse_number<std::uint16_t>(text).has_value();
}

bool is_bracketed(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']');
}

// A host as it stands in an address or a URL, where a colon separates the port.
bool is_url_host(std::string_view host) {
  if (is_bracketed(host)) return is_address(AF_INET6, host.substr(1, host.size() - 2));
  return is_address(AF_INET, host) || is_host_name(host);
}

bool is_network(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const auto bits = base::parse_number<int>(text.substr(slash + 1));
  if (!bits || *bits < 0) return false;
  if (is_address(AF_INET, address)) return *bits <= 32;
  return is_address(AF_INET6, address) && *bits <= 128;
}

std::string_view without_port(std::string_view authority) {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.ends_with(']')) return authority;
  return is_port(authority.substr(colon + 1)) ? authority.substr(0, colon) : std::string_view();
}

}  // namespace

bool is_listen_address(std::string_view text) {
  if (text.starts_with("unix:")) return text.size() > 5;
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  return is_url_host(text.substr(0, colon)) && is_port(text.substr(colon + 1));
}

bool is_optional_listen_address(std::string_view text) {
  return text.empty() || is_listen_address(text);
}

bool is_network_or_host(std::string_view text) {
  if (text.starts_with("*.")) return is_host_name(text.substr(2));
  return is_network(text) || is_ip_address(text) || is_host_name(text);
}

bool is_web_origin(std::string_view text) {
  if (text == "*") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) return is_url_host(without_port(text.substr(scheme.size())));
  }
  return false;
}

bool is_key_prefix(std::string_view text) {
  return text.empty() || (text.ends_with('/') && !text.starts_with('/'));
}

bool is_file_mode(std::string_view text) {
  const bool is_octal = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  return is_octal && (text.size() == 3 || (text.size() == 4 && text[0] == '0'));
}

bool is_not_empty(std::string_view text) {
  return !text.empty();
}

bool is_local_only(std::string_view listen_address) {
  if (listen_address.starts_with("unix:")) return true;
  const std::string_view host = listen_address.substr(0, listen_address.rfind(':'));
  return host == "localhost" || host == "[::1]" || (is_address(AF_INET, host) && host.starts_with("127."));
}

}  // namespace optimux::apps
