#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool …`: what can be found out about a worker pool without one in service. A group: its commands live
/// beside it, one pair of files each, and have one line in `pool_command.cpp`.
std::unique_ptr<Command> make_pool_command();

}  // namespace optimux::apps
