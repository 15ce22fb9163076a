#include "http/request_rules.hpp"

#include "base/quantity.hpp"

namespace optimux::http {

bool is_host_value(std::string_view host) {
  return host.find_first_of(" \t/?#@,\\") == std::string_view::npos && is_field_value(host);
}

bool is_supported_target(std::string_view method, std::string_view target) {
  if (target == "*") return method == "OPTIONS";
  return target.starts_with('/') && target.find('#') == std::string_view::npos;
}

bool has_use_for_body(std::string_view method) {
  return method == "POST" || method == "PUT";
}

std::size_t size_of(const Request& request) {
  std::size_t size = request.method.size() + request.target.size() + request.body.size();
  for (const HeaderField& field : request.headers) size += sizeof(field) + field.name.size() + field.value.size();
  return size;
}

std::string too_long(std::string_view what, std::string_view limit, std::size_t bytes) {
  return std::string(what) + " is longer than " + std::string(limit) + " (" + base::format_bytes(bytes) + ")";
}

}  // namespace optimux::http
