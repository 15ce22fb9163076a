#pragma once

#include "apps/optimux/settings/option_builder.hpp"

namespace optimux::apps {

/// Adds the rows of the group kObjectStore.
void add_object_store_options(OptionBuilder& rows);

}  // namespace optimux::apps
