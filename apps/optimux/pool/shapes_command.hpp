#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool shapes`: the same work through nine ways to spread it over threads.
std::unique_ptr<Command> make_shapes_command();

}  // namespace optimux::apps
