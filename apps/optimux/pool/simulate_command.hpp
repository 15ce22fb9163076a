#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool simulate`: policies under made-up or recorded loads, in virtual time, and beside them a real pool.
std::unique_ptr<Command> make_simulate_command();

}  // namespace optimux::apps
