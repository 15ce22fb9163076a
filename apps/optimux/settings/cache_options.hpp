#pragma once

#include "apps/optimux/settings/option_builder.hpp"

namespace optimux::apps {

/// The options of what is kept: how long, in memory and on disk, and of the budgets beside it.
void add_cache_options(OptionBuilder& rows);

}  // namespace optimux::apps
