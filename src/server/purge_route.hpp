#pragma once

#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// `DELETE /cache`: forgets finished renditions in all tiers, and answers 204 once none of them is given out any more.
/// `?url=` names one by the URL (or the target) that clients ask for it, `?source=` all that were made of a source in
/// the words of `image_url`; neither, everything. For the admin listener. `state` must outlive the router.
void add_purge_route(Router& router, ServerState& state);

}  // namespace optimux::server
