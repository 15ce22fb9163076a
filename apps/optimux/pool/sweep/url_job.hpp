#pragma once

#include "apps/optimux/pool/sweep/job_body.hpp"

#include <sys/socket.h>

namespace optimux::apps {

/// Fetches the URL each time it is called, over a connection that it keeps, and throws the body away. Redirections are
/// not followed and proxies not used. The address is checked when it is connected to, after all names have been
/// resolved: any but a loopback address is refused with kForbiddenSource, unless the rules allow to leave the host.
/// kOriginFailed for an answer of 400 and above, kOriginTimeout, kOriginFailed for everything else.
JobBody make_url_body(const UrlJob& job, const JobRules& rules);

/// Whether `address` is of this machine alone: 127.0.0.0/8 or ::1.
bool is_loopback(const sockaddr& address);

}  // namespace optimux::apps
