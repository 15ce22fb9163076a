#pragma once

#include "apps/optimux/command.hpp"

namespace optimux::apps {

/// `optimux sign`: URLs with the signature that a server with the same key asks for.
std::unique_ptr<Command> make_sign_command();

}  // namespace optimux::apps
