#pragma once

#include "server/router.hpp"

namespace optimux::server {

/// Keeps web pages away from the admin listener, which has no authentication. A page can make its own host name stand
/// for 127.0.0.1 (DNS rebinding) and then reads and changes what it likes through the browser of this machine; only the
/// `Host` field tells. So a request is answered 421 (RFC 9110, section 15.5.20) unless that is an IP address,
/// `localhost` or a name below it, which nobody's DNS can hand out. Not with `admin_allow_remote`, where names are
/// given to the listener by others, nor on a Unix socket, which no browser reaches.
Router::Guard admin_guard();

/// Whether `host`, the value of a Host field, is what `admin_guard` lets pass.
bool is_local_host(std::string_view host);

}  // namespace optimux::server
