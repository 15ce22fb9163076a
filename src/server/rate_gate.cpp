#include "server/rate_gate.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "server/problem_answer.hpp"

namespace optimux::server {
namespace {

constexpr double kShareOfAHit = 0.1;

}  // namespace

std::unique_ptr<Answer> refuse_above_rate(ServerState& state, const RequestContext& context) {
  const auto wait = state.limiter.take(context.client.address, context.received);
  if (wait.count() == 0) return nullptr;
  base::Error error{base::ErrorCode::kTooManyRequests, {}, "client " + context.client.address};
  error.detail =
      "more than rate_limit (" + std::to_string(context.settings->rate_limit) + " a second); see Retry-After";
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
  return problem_answer(state, context, std::move(error), {{"Retry-After", retry_after(seconds)}});
}

void count_less_for_hits(ServerState& state, const RequestContext& context,
                         const std::vector<service::OpenedRendition>& opened) {
  const bool is_hit = std::ranges::all_of(opened, [](const service::OpenedRendition& rendition) {
    return rendition.outcome == service::CacheOutcome::kHit || rendition.outcome == service::CacheOutcome::kStale;
  });
  if (is_hit) state.limiter.give_back(context.client.address, 1 - kShareOfAHit);
}

}  // namespace optimux::server
