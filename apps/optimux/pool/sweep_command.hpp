#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool sweep`: measures a job in pools of many sizes and says which to use.
std::unique_ptr<Command> make_sweep_command();

}  // namespace optimux::apps
