#include "apps/optimux/settings/text_form.hpp"

#include "base/text.hpp"
#include "server/listen_address.hpp"
#include "service/url_signer.hpp"
#include "source/address_policy.hpp"
#include "source/allow_list.hpp"
#include "source/object_place.hpp"
#include "source/s3_endpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace optimux::apps {
namespace {

bool is_authority_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.:[]").find(c) != std::string_view::npos;
}

// `HOST` or `HOST:PORT`, where the host may be an address in brackets.
bool is_authority(std::string_view text) {
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && !text.ends_with(']');
  if (has_port && !base::parse_number<std::uint16_t>(text.substr(colon + 1))) return false;
  const std::string_view host = has_port ? text.substr(0, colon) : text;
  return !host.empty() && std::ranges::all_of(host, is_authority_character);
}

}  // namespace

bool is_listen_address(std::string_view text) {
  return server::parse_listen_address("", text).has_value();
}

bool is_optional_listen_address(std::string_view text) {
  return text.empty() || is_listen_address(text);
}

bool is_network_or_host(std::string_view text) {
  return source::AddressPolicy::make({std::string(text)}).has_value();
}

bool is_web_origin(std::string_view text) {
  if (text == "*") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) return is_authority(text.substr(scheme.size()));
  }
  return false;
}

bool is_key_prefix(std::string_view text) {
  const auto leads_elsewhere = [](std::string_view folder) { return folder == "." || folder == ".."; };
  return text.empty() || (text.ends_with('/') && !text.starts_with('/') &&
                          std::ranges::none_of(base::split(text, '/'), leads_elsewhere));
}

bool is_object_place(std::string_view text) {
  return source::ObjectPlace::parse(text).has_value();
}

bool is_optional_object_place(std::string_view text) {
  return text.empty() || is_object_place(text);
}

bool is_object_store_endpoint(std::string_view text) {
  return text.empty() || source::S3Endpoint::make(text, "us-east-1", source::S3Addressing::kAuto).has_value();
}

bool is_optional_region(std::string_view text) {
  return text.empty() || source::is_region_name(text);
}

bool is_file_mode(std::string_view text) {
  const bool is_octal = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  return is_octal && (text.size() == 3 || (text.size() == 4 && text[0] == '0'));
}

bool is_trusted_proxy(std::string_view text) {
  return text == "unix" || source::IpNetwork::parse(text).has_value();
}

bool is_source_host(std::string_view text) {
  return source::AllowList::make({.hosts = {std::string(text)}, .prefixes = {}, .schemes = {}}).has_value();
}

bool is_source_prefix(std::string_view text) {
  return source::AllowList::make({.hosts = {}, .prefixes = {std::string(text)}, .schemes = {}}).has_value();
}

bool is_signing_key(std::string_view text) {
  if (text.starts_with('@')) return text.size() > 1;
  return service::UrlSigner::make({std::string(text)}).has_value();
}

bool is_local_only(std::string_view listen_address) {
  const auto address = server::parse_listen_address("", listen_address);
  return address && address->is_local();
}

}  // namespace optimux::apps
