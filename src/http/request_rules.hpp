#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace optimux::http {

/// What one request may take, in bytes and fields, whichever version of the protocol brings it.
struct RequestLimits {
  std::size_t max_uri_bytes = 8'192;      ///< Of the target.
  std::size_t max_header_bytes = 32'768;  ///< Of everything before the body, and again of trailers.
  std::size_t max_header_fields = 100;
  std::size_t max_body_bytes = 1'048'576;  ///< Without the framing.
};

/// Whether `host` can be the value of `Host` or `:authority`.
bool is_host_value(std::string_view host);

/// Whether the target is one that is answered: a path and query without a fragment, or `*` for OPTIONS.
bool is_supported_target(std::string_view method, std::string_view target);

/// Whether a body means anything with `method`. Other methods give it no meaning (RFC 9110, section 9.3), and memory
/// that nobody reads is a gift to an attacker.
bool has_use_for_body(std::string_view method);

/// Bytes that a request holds, head and body.
std::size_t size_of(const Request& request);

/// The words for a client whose `what` is longer than the limit of that name allows.
std::string too_long(std::string_view what, std::string_view limit, std::size_t bytes);

}  // namespace optimux::http
