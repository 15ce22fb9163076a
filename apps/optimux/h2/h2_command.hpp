#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux h2 …`: what has to do with many responses on one HTTP/2 connection.
std::unique_ptr<Command> make_h2_command();

}  // namespace optimux::apps
