#pragma once

#include "apps/optimux/settings/configuration.hpp"

#include <string>

namespace optimux::apps {

/// A complete, valid configuration file: every option with its default, each under a comment with meaning, type, range,
/// variable and flag.
std::string write_defaults();

/// The effective configuration as a valid file; behind each value stands where it comes from. A secret that is set is a
/// comment without its value.
std::string write_effective(const Configuration& configuration);

/// The same as one JSON object: key -> {"value", "origin", "place"}. Bytes and milliseconds are numbers, and a
/// secret that is set is the text `(secret)`.
std::string write_effective_json(const Configuration& configuration);

/// docs/options.md.
std::string write_markdown();

/// A value as it stands in a file: `"64MiB"`, `5`, `["a", "b"]`.
std::string to_toml(const Option& option, const OptionValue& value);

}  // namespace optimux::apps
