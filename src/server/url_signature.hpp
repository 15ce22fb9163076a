#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "server/request_context.hpp"
#include "server/router.hpp"

namespace optimux::server {

/// How far the clock of whoever signs may be behind ours: so much longer than it says a signed URL is answered.
inline constexpr std::chrono::seconds kClockSkew{60};

/// The query of a call that may be answered, without its signature: where keys are configured, of one that is signed.
/// Errors: kForbiddenSource.
base::Result<std::string_view> admit_query(const RouteCall& call);

/// How long from `now` the URL still holds whose parameter `expires` has this value; not negative. Errors:
/// kInvalidParameter when it is no time, kForbiddenSource when it was more than `kClockSkew` ago.
base::Result<std::chrono::seconds> time_left(std::string_view expires, std::chrono::system_clock::time_point now);

/// `target`, a path and query of this server, as a client may ask for it: encoded, and signed where keys are
/// configured. Only for targets that whoever gets it could have asked for by himself.
std::string signed_target(const RequestContext& context, std::string_view target);

}  // namespace optimux::server
