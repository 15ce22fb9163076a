#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux h2 simulate`: a page of pictures over one connection, under each scheduling policy, in virtual time.
std::unique_ptr<Command> make_h2_simulate_command();

}  // namespace optimux::apps
