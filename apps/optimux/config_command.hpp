#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux config`: the configuration in effect, the defaults, the documentation of the options.
std::unique_ptr<Command> make_config_command();

}  // namespace optimux::apps
