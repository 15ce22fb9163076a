#pragma once

#include <string_view>

#include "source/curl_handles.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// What an origin is told beside the usual fields: `Via` of a request that came with `via` (as in `hops_of`), and the
/// conditions that `validators` make (`If-None-Match`, `If-Modified-Since`). Null when memory is used up.
CurlList fetch_headers(std::string_view via, const SourceValidators& validators);

}  // namespace optimux::source
