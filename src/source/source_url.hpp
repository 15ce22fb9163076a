#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace optimux::source {

/// Longest URL or key that is taken, in bytes, before and after it was brought into canonical form.
inline constexpr std::size_t kMaxUrlBytes = 8192;

/// An absolute http or https URL in canonical form: scheme and host in lower case, numeric addresses in their usual
/// notation (`http://0x7f.1` is `http://127.0.0.1/`), default port and fragment gone, dot segments resolved, blanks and
/// non-ASCII bytes of path and query percent-encoded. Everything else of path and query stays byte for byte.
struct HttpUrl {
  std::string text;
  std::string host;  ///< A lower-case name or an address, IPv6 without brackets.
};

/// The scheme of `url` in lower case, empty when it has none (RFC 3986, section 3.1).
std::string scheme_of(std::string_view url);

/// Reads an absolute URL. Errors: kForbiddenSource for schemes other than http and https; kInvalidUrl when it cannot be
/// parsed, is over `kMaxUrlBytes`, holds control characters, a user name or password, an IPv6 zone, port 0, or a host
/// of other characters than letters, digits, `-`, `.` and `_`.
base::Result<HttpUrl> parse_http_url(std::string_view url);

/// Where `reference`, the value of a `Location` header, leads from `base` (RFC 3986, section 5). Errors as in
/// `parse_http_url`.
base::Result<HttpUrl> resolve_http_url(const HttpUrl& base, std::string_view reference);

/// The bytes that a `file:///key` URL names, after one percent-decoding. Errors: kInvalidUrl when it cannot be parsed,
/// has another host than none or `localhost`, or holds `?`, `#` or control characters that are not percent-encoded.
base::Result<std::string> parse_file_url(std::string_view url);

/// `url` without its query, which may hold secrets: the form for logs.
std::string without_query(std::string_view url);

}  // namespace optimux::source
