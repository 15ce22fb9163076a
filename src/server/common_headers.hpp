#pragma once

#include <string_view>

#include "http/message.hpp"
#include "server/request_context.hpp"

namespace optimux::server {

/// Adds what every answer carries: `X-Request-Id`, `X-Content-Type-Options`, `Cross-Origin-Resource-Policy`, and the
/// CORS fields if the request comes from a configured origin (also those of a preflight).
void add_common_headers(http::ResponseHead& head, const http::Request& request, const RequestContext& context);

/// Adds `field` to `Vary`, once.
void add_vary(http::Headers& headers, std::string_view field);

}  // namespace optimux::server
