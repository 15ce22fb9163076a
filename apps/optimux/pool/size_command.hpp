#pragma once

#include "apps/optimux/command.hpp"

#include <memory>

namespace optimux::apps {

/// `optimux pool size`: how many workers a rate of jobs needs, by Little's law.
std::unique_ptr<Command> make_size_command();

}  // namespace optimux::apps
