#include "server/common_headers.hpp"

#include <algorithm>
#include <string>

namespace optimux::server {
namespace {

/// How long a browser may remember a preflight, in seconds; browsers cap it at two hours or less.
constexpr std::string_view kPreflightTtl = "7200";

bool allows(const ServerSettings& settings, std::string_view origin) {
  return std::find(settings.cors_origins.begin(), settings.cors_origins.end(), origin) != settings.cors_origins.end();
}

void add_cors(http::Headers& headers, const http::Request& request, const ServerSettings& settings) {
  if (settings.cors_origins.empty()) return;
  const bool allows_all = allows(settings, "*");
  const auto origin = request.headers.find("Origin");
  // The answer depends on the origin even when it is not allowed: a cache must not give it to one that is.
  if (!allows_all) add_vary(headers, "Origin");
  if (!origin || (!allows_all && !allows(settings, *origin))) return;
  const std::string_view allowed = allows_all ? "*" : *origin;
  headers.add("Access-Control-Allow-Origin", allowed);
  headers.add("Access-Control-Expose-Headers", "ETag, Link, Retry-After, Server-Timing, X-Request-Id");
  headers.add("Timing-Allow-Origin", allowed);
  if (request.method == "OPTIONS" && request.headers.has("Access-Control-Request-Method")) {
    headers.add("Access-Control-Allow-Methods", headers.find("Allow").value_or("GET, HEAD, OPTIONS"));
    headers.add("Access-Control-Allow-Headers", "Content-Type, If-None-Match, If-Modified-Since, X-Request-Id");
    headers.add("Access-Control-Max-Age", kPreflightTtl);
  }
}

}  // namespace

void add_vary(http::Headers& headers, std::string_view field) {
  if (headers.has_token("Vary", field)) return;
  const std::string before = headers.joined("Vary");
  headers.set("Vary", before.empty() ? std::string(field) : before + ", " + std::string(field));
}

void add_common_headers(http::ResponseHead& head, const http::Request& request, const RequestContext& context) {
  head.headers.add("X-Request-Id", context.id);
  head.headers.add("X-Content-Type-Options", "nosniff");
  // Pictures are there to be embedded by other sites; who may read them from a script is what CORS says.
  head.headers.add("Cross-Origin-Resource-Policy", "cross-origin");
  add_cors(head.headers, request, *context.settings);
}

}  // namespace optimux::server
