#pragma once

#include "base/result.hpp"

#include <string>

namespace optimux::apps {

/// The body of an answer of 200, at most 16 MiB of it, within ten seconds. Neither redirections nor proxies. With
/// `unix_socket`, a path, the connection is made to that, whatever the host of `url`. Blocks. Errors: kOriginFailed,
/// kOriginTimeout, kSourceTooLarge; they name the socket, or the URL if there is none.
base::Result<std::string> http_get(const std::string& url, const std::string& unix_socket = {});

}  // namespace optimux::apps
