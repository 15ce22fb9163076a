#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.hpp"
#include "server/request_context.hpp"

namespace optimux::server {

/// The fields of a `103 Early Hints` (RFC 8297) that may go out before the answer to `request`, of which `links` are
/// known: one `Link` for each. Nothing
/// - if there are none, or they are together longer than a head that any client takes (4 KiB);
/// - to a HEAD, which wants no picture, and to a request with conditions or a range: the client has a copy, and the 304
///   or 206 that it may get carries no links;
/// - where `early_hints` does not want it: `navigate`, the default, hints only to who loads a page or a picture of its
///   own (`Sec-Fetch-Mode: navigate`) over HTTP/2, since other software stumbles over a head that is not the last;
///   `always` hints to all who speak HTTP/1.1 or HTTP/2.
std::optional<http::Headers> early_hints(const http::Request& request, const RequestContext& context,
                                         const std::vector<std::string>& links);

}  // namespace optimux::server
