#pragma once

#include "base/result.hpp"
#include "service/url_signer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace optimux::apps {

/// `url` with a signature behind it, and before that `expires` (seconds since 1970) if it is given. It is an http or
/// https URL, of which scheme and host stay as they are, or begins with the path. What may not stand in a URL is
/// encoded first, because whoever asks for it will do so. Errors: kInvalidUrl when it is neither, has a fragment, or is
/// signed or has an end already.
base::Result<std::string> sign_url(std::string_view url, const service::UrlSigner& signer,
                                   std::optional<std::int64_t> expires);

}  // namespace optimux::apps
