#pragma once

#include "base/result.hpp"
#include "server/server_settings.hpp"

namespace optimux::server {

/// Checks what no type can: ranges and combinations. Files are not looked at. Errors: kInvalidParameter naming the
/// field.
base::Status check(const ServerSettings& settings);

}  // namespace optimux::server
