#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux serve`: the HTTP server.
std::unique_ptr<Command> make_serve_command();

}  // namespace optimux::apps
