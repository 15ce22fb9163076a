#pragma once

#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// Adds `POST /optimux/preload`: a JSON list of `{"url": "/resize?…", "priority": 0}`, answered with 204 and one `Link`
/// preload value an entry. `priority` is the urgency of RFC 9218: 0 (most urgent) to 7, 3 if it is missing; the most
/// urgent come first, equals in the order given. Where URLs have to be signed, an entry of this server that is not
/// gives 403. `state` must outlive the router.
void add_preload_route(Router& router, ServerState& state);

}  // namespace optimux::server
