#include "server/http2_limits.hpp"

#include <algorithm>

namespace optimux::server {
namespace {

/// So many times the head that is answered, and at least that of its default.
constexpr std::size_t kMostHeads = 4;
constexpr std::size_t kLeastHead = 32'768;

}  // namespace

http::Http2Limits http2_limits_of(const ServerSettings& settings) {
  http::Http2Limits limits;
  limits.max_streams = settings.http2_max_streams;
  limits.max_settings_entries = settings.http2_max_settings_entries;
  limits.max_queued_acks = settings.http2_max_queued_acks;
  limits.request = {settings.max_uri_bytes, settings.max_header_bytes, settings.max_header_fields,
                    settings.max_body_bytes};
  limits.floods.resets = {settings.http2_reset_burst, settings.http2_reset_rate};
  limits.floods.errors = {settings.http2_error_burst, settings.http2_error_rate};
  limits.floods.control = {settings.http2_control_burst, settings.http2_control_rate};
  limits.floods.empty_data = {settings.http2_empty_data_burst, settings.http2_empty_data_rate};
  limits.floods.window_updates = {settings.http2_window_update_burst, settings.http2_window_update_rate};
  limits.floods.priorities = {settings.http2_priority_burst, settings.http2_priority_rate};
  limits.floods.max_continuations = settings.http2_max_continuations;
  limits.floods.max_field_bytes = kMostHeads * std::max<std::size_t>(settings.max_header_bytes, kLeastHead);
  return limits;
}

SendPatience::Limits http2_patience_of(const ServerSettings& settings) {
  return {settings.write_stall_timeout, settings.min_send_rate, std::chrono::milliseconds(0)};
}

}  // namespace optimux::server
