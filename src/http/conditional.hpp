#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "http/headers.hpp"

namespace optimux::http {

/// Whether a list of entity tags as in If-None-Match holds `etag`, by weak comparison (RFC 9110, sections 8.8.3.2 and
/// 13.1.2); `*` matches any. A list that cannot be read matches nothing.
bool etag_list_matches(std::string_view list, std::string_view etag);

/// Whether If-None-Match lists `etag` itself, which is empty when not known; `*` names none. Who knows the tag was sent
/// what it belongs to; `*` and dates are written by anybody.
bool names_etag(const Headers& request, std::string_view etag);

/// Whether a GET or HEAD with these fields is answered 304: If-None-Match decides if it is there, else
/// If-Modified-Since (RFC 9110, section 13.2.2). `etag` is empty and `last_modified` unset when not known.
bool is_not_modified(const Headers& request, std::string_view etag,
                     std::optional<std::chrono::system_clock::time_point> last_modified);

}  // namespace optimux::http
