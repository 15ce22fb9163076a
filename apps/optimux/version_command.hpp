#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux version`: the version of the program.
std::unique_ptr<Command> make_version_command();

/// As in `0.1.0`.
const char* program_version();

}  // namespace optimux::apps
