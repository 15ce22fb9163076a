#pragma once

#include "apps/optimux/settings/problem.hpp"
#include "apps/optimux/settings/settings.hpp"

#include <vector>

namespace optimux::apps {

/// What is wrong with values that are right one by one but not together. Each problem names all keys concerned.
std::vector<Problem> cross_check(const Settings& settings);

}  // namespace optimux::apps
