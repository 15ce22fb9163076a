#pragma once

#include "base/result.hpp"

#include <string_view>

namespace optimux::apps {

/// A span of time with its unit, down to nanoseconds, as in `640us`, `1.5ms` or `2s`; more than 0 and at most an hour.
/// In seconds. Errors: kInvalidParameter.
base::Result<double> parse_seconds(std::string_view text);

}  // namespace optimux::apps
