#pragma once

#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// Adds `/optimux/ping`, `/health` and `/ready`: answered in the loop's thread, with nothing in front of them that
/// could queue. `state` must outlive the router.
void add_health_routes(Router& router, ServerState& state);

}  // namespace optimux::server
