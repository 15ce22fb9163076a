#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/deadline.hpp"
#include "server/client.hpp"
#include "server/protection.hpp"
#include "server/server_settings.hpp"

namespace optimux::server {

/// What belongs to one request beside its bytes. A request keeps the settings that it began with.
struct RequestContext {
  std::string id;  ///< In the log, in `X-Request-Id` and in problems.
  Client client;
  std::int32_t stream = 0;  ///< Of HTTP/2; 0 on HTTP/1.1.
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();
  base::Deadline deadline;
  std::shared_ptr<const ServerSettings> settings;
  std::shared_ptr<const Protection> protection;
};

/// The client's `X-Request-Id`, if it is 1 to 64 letters, digits, dots, dashes and underscores; else a new one of 16
/// hexadecimal digits. Thread-safe.
std::string choose_request_id(std::string_view from_client);

}  // namespace optimux::server
