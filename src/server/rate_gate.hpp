#pragma once

#include <memory>
#include <vector>

#include "server/answer.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// The answer to a client that asks faster than `rate_limit`: 429 with `Retry-After`. Null, and the request is counted,
/// where it does not.
std::unique_ptr<Answer> refuse_above_rate(ServerState& state, const RequestContext& context);

/// What came from the cache alone counts a tenth: it costs microseconds where a render costs milliseconds, and whoever
/// looks at a page of pictures again should not be refused for it. Something it does count, since a client must not
/// have the whole line for itself either.
void count_less_for_hits(ServerState& state, const RequestContext& context,
                         const std::vector<service::OpenedRendition>& opened);

}  // namespace optimux::server
