#pragma once

#include "http/http2_session.hpp"
#include "server/send_patience.hpp"
#include "server/server_settings.hpp"

namespace optimux::server {

/// What one connection may take, as the settings have it.
http::Http2Limits http2_limits_of(const ServerSettings& settings);

/// Patience with an answer whose window the client keeps closed, and with a connection on which nothing moves. The
/// whole time of an answer is counted elsewhere, because an answer also waits for others of its connection.
SendPatience::Limits http2_patience_of(const ServerSettings& settings);

}  // namespace optimux::server
