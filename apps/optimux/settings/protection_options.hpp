#pragma once

#include "apps/optimux/settings/option_builder.hpp"

namespace optimux::apps {

/// Adds the rows of what protects the server and its owner: whose requests it answers, and what these may ask for.
void add_protection(OptionBuilder& rows);

/// Adds the rows of which URLs may be named as sources, to the group that has begun.
void add_allow_lists(OptionBuilder& rows);

}  // namespace optimux::apps
