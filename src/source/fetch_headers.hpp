#pragma once

#include <string_view>

#include "source/content_range.hpp"
#include "source/curl_handles.hpp"
#include "source/source.hpp"

namespace optimux::source {

/// What an origin is told beside the usual fields: `Via` of a request that came with `via` (as in `hops_of`), and the
/// conditions that `validators` make (`If-None-Match`, `If-Modified-Since`). Null when memory is used up.
CurlList fetch_headers(std::string_view via, const SourceValidators& validators);

/// What an origin is told for a part of a source: `Via`, `Range`, and by `If-Range` the state that it must be a part
/// of, where `validators` name one that may stand there (a strong tag, else a date; RFC 9110, section 13.1.5). Null as
/// above.
CurlList part_headers(std::string_view via, const ByteRange& range, const SourceValidators& validators);

}  // namespace optimux::source
