#pragma once

#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// Adds `/` (a few words and links), `/optimux/docs` (the API described and tried in the browser) and `/openapi.json`.
/// All three are 404 while `docs` is off. `state` must outlive the router.
void add_docs_routes(Router& router, ServerState& state);

}  // namespace optimux::server
