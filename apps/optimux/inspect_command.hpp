#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux inspect`: what encoded pictures are, and what they show of themselves while they arrive.
std::unique_ptr<Command> make_inspect_command();

}  // namespace optimux::apps
