#pragma once

#include "apps/optimux/settings/configuration.hpp"

#include <vector>

namespace optimux::apps {

/// What is wrong with the files and folders that options name: a folder that cannot be opened, a PEM file or one
/// with signing keys that cannot be read or does not hold what it should, a key that is not that of the certificate.
/// Only of options that `concerns` picks. Blocks on the file system.
std::vector<Problem> check_paths(const Configuration& configuration, bool (*concerns)(const Option& option));

}  // namespace optimux::apps
