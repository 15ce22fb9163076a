#include "server/early_hints.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace optimux::server {
namespace {

constexpr std::size_t kMostLinkBytes = 4'096;

bool is_plain_get(const http::Request& request) {
  constexpr std::string_view kConditions[] = {"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
                                              "Range"};
  return request.method == "GET" &&
         std::ranges::none_of(kConditions, [&](std::string_view name) { return request.headers.has(name); });
}

bool is_wanted(const http::Request& request, const RequestContext& context) {
  const std::string& when = context.settings->early_hints;
  const bool is_http2 = context.client.protocol == "h2";
  if (when == "always") return is_http2 || request.minor_version >= 1;
  return when == "navigate" && is_http2 && request.headers.find("Sec-Fetch-Mode") == "navigate";
}

}  // namespace

std::optional<http::Headers> early_hints(const http::Request& request, const RequestContext& context,
                                         const std::vector<std::string>& links) {
  std::size_t bytes = 0;
  for (const std::string& link : links) bytes += link.size();
  if (bytes == 0 || bytes > kMostLinkBytes || !is_plain_get(request) || !is_wanted(request, context)) {
    return std::nullopt;
  }
  http::Headers fields;
  for (const std::string& link : links) fields.add("Link", link);
  return fields;
}

}  // namespace optimux::server
