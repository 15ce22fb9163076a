#pragma once

#include "apps/optimux/settings/configuration.hpp"

#include <vector>

namespace optimux::apps {

/// What is wrong with values that are right one by one but not together. Each problem names all keys concerned and
/// where their values come from.
std::vector<Problem> cross_check(const Configuration& configuration);

/// What is allowed but has no effect beside other values.
std::vector<Problem> find_useless_values(const Configuration& configuration);

}  // namespace optimux::apps
