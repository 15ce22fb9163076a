#pragma once

#include "apps/optimux/settings/option.hpp"

#include <span>
#include <string>
#include <string_view>

namespace optimux::apps {

/// All options, group by group, in the order of the documentation. Made once; any thread may read it.
std::span<const Option> option_table();

/// The option with this key, or nullptr.
const Option* find_option(std::string_view key);

/// What to say of a key that no option has, with the nearest one that exists: `unknown option; did you mean 'listen'?`
std::string unknown_key_message(std::string_view key);

}  // namespace optimux::apps
