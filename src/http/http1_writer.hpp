#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace optimux::http {

/// How the end of a response's body is told on an HTTP/1 connection (RFC 9112, section 6.3).
enum class Framing {
  kNone,        ///< No body: HEAD, 204, 304.
  kLength,      ///< Content-Length.
  kChunked,     ///< Transfer-Encoding: chunked; a missing last chunk tells that the body is not whole.
  kUntilClose,  ///< HTTP/1.0 with a body whose length is not known: the connection's end.
};

/// The framing for the response `head` to `request`.
Framing choose_framing(const Request& request, const ResponseHead& head);

/// What the connection adds to a response.
struct Http1HeadOptions {
  Framing framing = Framing::kLength;
  bool keep_alive = true;
  int minor_version = 1;  ///< Of the request: a 1.0 client is told when the connection stays.
  std::string_view date;  ///< Value of `Date`; empty: none.
};

/// The bytes of a response's head up to the empty line. Fields whose name is no token or whose value could end its line
/// are left out, so nothing that a client or an origin sent can become a field of its own.
std::string write_head(const ResponseHead& head, const Http1HeadOptions& options);

/// The bytes of a head before that of the answer, `status` being below 200; fields as in `write_head`.
std::string write_informational(int status, const Headers& fields);

/// What stands around some bytes of a body.
struct BodyFrame {
  std::string before;
  std::string after;
};

/// The frame of the next `size` bytes of a body; `is_last` tells that they, or those before if `size` is 0, are its
/// end. Empty but for chunks.
BodyFrame frame_body(Framing framing, std::size_t size, bool is_last);

}  // namespace optimux::http
