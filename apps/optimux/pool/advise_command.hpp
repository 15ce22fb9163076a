#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool advise`: what a running server thinks of the limits of its pools.
std::unique_ptr<Command> make_advise_command();

}  // namespace optimux::apps
