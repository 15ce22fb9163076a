#pragma once

#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// Adds `/resize`, `/optimux/assets/KEY`, `/optimux/static/KEY`, `/info` and `/optimux/info/KEY`. `state` must outlive
/// the router.
void add_rendition_routes(Router& router, ServerState& state);

}  // namespace optimux::server
