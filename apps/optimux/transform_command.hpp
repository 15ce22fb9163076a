#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux transform`: renditions of files, folders, URLs and standard input, as the server would make them.
std::unique_ptr<Command> make_transform_command();

}  // namespace optimux::apps
