#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/headers.hpp"

namespace optimux::http {

/// A whole request, whichever version of the protocol brought it.
struct Request {
  std::string method;     ///< As sent; methods are case-sensitive.
  std::string target;     ///< Path and query as sent: `/resize?…`, or `*`. An absolute form has been cut to this.
  int minor_version = 1;  ///< Of HTTP/1.
  Headers headers;
  std::string body;
  bool keep_alive = true;  ///< Whether the client will use the connection again.
};

/// What stands before the body of a response. How the body is framed is the business of the connection.
struct ResponseHead {
  int status = 200;
  Headers headers;                              ///< Without Content-Length, Transfer-Encoding, Connection and Date.
  std::optional<std::uint64_t> content_length;  ///< Unset: not known yet.
};

/// The status of a head that tells what the answer will need before there is one (RFC 8297).
inline constexpr int kEarlyHints = 103;

/// The phrase that RFC 9110 gives for a status, as in `Not Found`; empty for one that this product does not use.
std::string_view reason_phrase(int status);

/// Whether a response of this status has a body at all (RFC 9110, section 6.4.1): not 1xx, 204 and 304.
bool status_has_body(int status);

}  // namespace optimux::http
