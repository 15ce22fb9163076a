#pragma once

#include "server/router.hpp"

namespace optimux::server {

/// Keeps web pages away from the admin listener, which has no authentication. A page can make its own host name stand
/// for 127.0.0.1 (DNS rebinding) and then reads and changes what it likes through the browser of this machine; only the
/// `Host` field tells. So a request is answered 421 (RFC 9110, section 15.5.20) unless that is an IP address,
/// `localhost` or a name below it, which nobody's DNS can hand out. Not with `admin_allow_remote`, where names are
/// given to the listener by others, nor on a Unix socket, which no browser reaches.
///
/// A page needs no name of its own to send what a browser sends unasked, and reads the answers if `cors_origins` allows
/// it to: what comes from another site than the listener itself is answered 403, whatever is allowed.
Router::Guard admin_guard();

/// Whether a browser says that `request` comes from a page of another site: by `Sec-Fetch-Site`, or by an `Origin` that
/// is not the host that is asked. What is no browser says neither.
bool is_from_another_site(const http::Request& request);

/// Whether `host`, the value of a Host field, is what `admin_guard` lets pass.
bool is_local_host(std::string_view host);

}  // namespace optimux::server
