#pragma once

#include "base/result.hpp"

#include <string>

namespace optimux::apps {

/// The body of an answer of 200, at most 16 MiB of it, within ten seconds. Neither redirections nor proxies. Blocks.
/// Errors: kOriginFailed, kOriginTimeout, kSourceTooLarge.
base::Result<std::string> http_get(const std::string& url);

}  // namespace optimux::apps
