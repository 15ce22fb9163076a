#include "server/settings_check.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/listen_address.hpp"

namespace optimux::server {
namespace {

base::Status refuse(std::string detail) {
  return base::fail(base::ErrorCode::kInvalidParameter, std::move(detail));
}

base::Status check_addresses(std::string_view field, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (const auto address = parse_listen_address(field, text); !address) return base::fail(address.error());
  }
  return {};
}

base::Status check_tls(const ServerSettings& settings) {
  if (auto status = check_addresses("listen_tls", settings.listen_tls); !status) return status;
  if (!settings.listen_tls.empty() && settings.tls_certificate.empty()) {
    return refuse("listen_tls: needs tls_certificate");
  }
  if (!settings.tls_key.empty() && settings.tls_certificate.empty()) return refuse("tls_key: needs tls_certificate");
  if (settings.tls_min_version == "1.2" || settings.tls_min_version == "1.3") return {};
  return refuse("tls_min_version: '" + settings.tls_min_version + "' is not 1.2 or 1.3");
}

base::Status check_early_hints(const ServerSettings& settings) {
  for (const char* const known : {"off", "navigate", "always"}) {
    if (settings.early_hints == known) return {};
  }
  return refuse("early_hints: '" + settings.early_hints + "' is not off, navigate or always");
}

base::Status check_positive(std::string_view field, long long value) {
  if (value > 0) return {};
  return base::fail(base::ErrorCode::kInvalidParameter, std::string(field) + ": must be more than 0");
}

}  // namespace

base::Status check(const ServerSettings& settings) {
  if (auto status = check_addresses("listen", settings.listen); !status) return status;
  if (auto status = check_tls(settings); !status) return status;
  if (auto status = check_early_hints(settings); !status) return status;
  if (!settings.admin.empty()) {
    const auto admin = parse_listen_address("admin", settings.admin);
    if (!admin) return base::fail(admin.error());
    if (!admin->is_local() && !settings.admin_allow_remote) {
      return base::fail(base::ErrorCode::kInvalidParameter,
                        "admin: '" + settings.admin +
                            "' can be reached from other machines, and there is no authentication; "
                            "set admin_allow_remote if that is meant");
    }
  }
  const std::pair<std::string_view, long long> positive[] = {
      {"listen_backlog", settings.listen_backlog},
      {"max_connections", static_cast<long long>(settings.max_connections)},
      {"max_pipelined", static_cast<long long>(settings.max_pipelined)},
      {"max_uri_bytes", static_cast<long long>(settings.max_uri_bytes)},
      {"max_header_bytes", static_cast<long long>(settings.max_header_bytes)},
      {"max_header_fields", static_cast<long long>(settings.max_header_fields)},
      {"header_timeout", settings.header_timeout.count()},
      {"idle_timeout", settings.idle_timeout.count()},
      {"max_request_bytes_under_way", static_cast<long long>(settings.max_request_bytes_under_way)},
      {"write_stall_timeout", settings.write_stall_timeout.count()},
      {"request_deadline", settings.request_deadline.count()},
      {"http2_max_streams", settings.http2_max_streams},
      {"http2_preface_timeout", settings.http2_preface_timeout.count()},
      {"http2_settings_timeout", settings.http2_settings_timeout.count()},
  };
  for (const auto& [field, value] : positive) {
    if (auto status = check_positive(field, value); !status) return status;
  }
  if (settings.http2_max_streams > http::StreamScheduler::kMaxStreams) {
    return refuse("http2_max_streams: must be at most " + std::to_string(http::StreamScheduler::kMaxStreams));
  }
  return {};
}

}  // namespace optimux::server
