#pragma once

#include <functional>

#include "server/metrics.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// Adds the routes of the admin listener: `GET /metrics`, `GET /pools`, `GET /pools/NAME/decisions`, `PUT
/// /pools/NAME/limits` and `PUT /log-level`. `connections` tells the figures of the public listeners. `state` must
/// outlive the router.
void add_admin_routes(Router& router, ServerState& state, std::function<ConnectionFigures()> connections);

}  // namespace optimux::server
