#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "server/answer.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// The answer to a failed request: status and words by the one table, `Retry-After` with 503, `Cache-Control` by the
/// settings. The error's `cause` goes to the log alone. kCancelled, which nobody should be there to read, is told as
/// 503.
std::unique_ptr<Answer> problem_answer(const ServerState& state, const RequestContext& context, base::Error error,
                                       http::Headers headers = {});

/// The value of `Retry-After` for somebody who has to wait for so long: at least a second, and up to half as much
/// again, so that clients who were refused together do not come back together.
std::string retry_after(std::chrono::seconds wait);

/// As `problem_answer`, to a call that was refused as it was read, before anything was looked up. No network can be
/// mapped by its words, so that they are told even where all others with this code are answered in the same ones.
std::unique_ptr<Answer> refusal_answer(const ServerState& state, const RequestContext& context, base::Error error,
                                       http::Headers headers = {});

}  // namespace optimux::server
