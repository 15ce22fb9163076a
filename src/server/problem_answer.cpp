#include "server/problem_answer.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "http/problem.hpp"
#include "server/error_status.hpp"

namespace optimux::server {
namespace {

std::string cache_control(int status, const ServerSettings& settings) {
  const bool may_be_kept = (status == 404 || status == 422) && settings.error_cache_ttl.count() > 0;
  return may_be_kept ? "public, max-age=" + std::to_string(settings.error_cache_ttl.count()) : "no-store";
}

/// `tells` says whether the client may read the error's detail where there is one.
std::unique_ptr<Answer> answer_to(const ServerState& state, const RequestContext& context, base::Error error,
                                  const ErrorStatus& told, bool tells, http::Headers headers) {
  headers.add("Content-Type", http::kProblemType);
  headers.add("Cache-Control", cache_control(told.status, *context.settings));
  if (told.status == 503) headers.add("Retry-After", retry_after(state.backend.retry_after()));
  const bool has_own_words = tells && !error.detail.empty();
  std::string body = http::write_problem({.type = told.type,
                                          .title = told.title,
                                          .status = told.status,
                                          .detail = has_own_words ? std::string_view(error.detail) : told.detail,
                                          .request_id = context.id});
  return std::make_unique<TextAnswer>(http::ResponseHead{told.status, std::move(headers), std::nullopt},
                                      std::move(body), std::move(error));
}

}  // namespace

std::string retry_after(std::chrono::seconds wait) {
  thread_local std::minstd_rand random(std::random_device{}());
  const long least = std::max<long>(1, wait.count());
  return std::to_string(least + std::uniform_int_distribution<long>(0, std::max<long>(1, least / 2))(random));
}

std::unique_ptr<Answer> problem_answer(const ServerState& state, const RequestContext& context, base::Error error,
                                       http::Headers headers) {
  const bool is_cancelled = error.code == base::ErrorCode::kCancelled;
  const ErrorStatus& told = error_status(is_cancelled ? base::ErrorCode::kOverloaded : error.code);
  return answer_to(state, context, std::move(error), told, !told.is_uniform && !is_cancelled, std::move(headers));
}

std::unique_ptr<Answer> refusal_answer(const ServerState& state, const RequestContext& context, base::Error error,
                                       http::Headers headers) {
  const ErrorStatus& told = error_status(error.code);
  return answer_to(state, context, std::move(error), told, true, std::move(headers));
}

}  // namespace optimux::server
