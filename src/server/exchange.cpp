#include "server/exchange.hpp"

#include <utility>

#include "server/common_headers.hpp"
#include "server/early_hints.hpp"
#include "server/error_status.hpp"
#include "server/request_log.hpp"

namespace optimux::server {
namespace {

/// Those below end a request at its deadline and tell the right reason; only if they do not is it ended for them.
constexpr std::chrono::milliseconds kGrace{400};

RequestContext make_context(const ServerState& state, const http::Request& request, Client client,
                            std::int32_t stream) {
  RequestContext context;
  context.id = choose_request_id(request.headers.find("X-Request-Id").value_or(""));
  context.client = std::move(client);
  context.client.address = state.protection->proxies.client_of(context.client.address, request.headers);
  context.stream = stream;
  context.settings = state.settings;
  context.protection = state.protection;
  context.deadline = base::Deadline(context.received + context.settings->request_deadline);
  return context;
}

}  // namespace

Exchange::Exchange(ServerState& state, const Router& router, http::Request request, Client client, std::int32_t stream)
    : state_(state), request_(std::move(request)), context_(make_context(state, request_, std::move(client), stream)) {
  Router::Routed routed = router.answer(request_, context_);
  route_ = routed.route;
  answer_ = std::move(routed.answer);
}

Exchange::Exchange(ServerState& state, base::Error error, Client client, std::int32_t stream)
    : state_(state), context_(make_context(state, request_, std::move(client), stream)) {
  answer_ = problem_answer(state_, context_, std::move(error));
}

Exchange::~Exchange() {
  log_end();
}

std::optional<http::ResponseHead> Exchange::take_head() {
  auto head = answer_->take_head();
  if (!head) return head;
  status_ = head->status;
  add_common_headers(*head, request_, context_);
  return head;
}

std::optional<http::Headers> Exchange::take_hints() {
  if (has_hinted_) return std::nullopt;
  const std::vector<std::string> links = answer_->early_links();
  if (links.empty()) return std::nullopt;
  has_hinted_ = true;
  return early_hints(request_, context_, links);
}

void Exchange::consume(std::size_t count) {
  answer_->consume(count);
  body_bytes_ += count;
}

std::chrono::steady_clock::time_point Exchange::last_moment() const {
  return context_.deadline.time() + kGrace;
}

void Exchange::give_up() {
  given_up_ = base::Error{base::ErrorCode::kDeadlineExceeded, {}, "nobody below ended the request at its deadline"};
  if (status_ == 0) answer_ = problem_answer(state_, context_, *given_up_);
}

void Exchange::cut_off() {
  given_up_ = base::Error{base::ErrorCode::kShuttingDown, {}, "cut off by the drain timeout or a hard stop"};
  if (status_ == 0) status_ = error_status(base::ErrorCode::kShuttingDown).status;
}

void Exchange::log_end() {
  RequestRecord record;
  record.context = &context_;
  record.request = &request_;
  record.route = route_;
  record.report = answer_->report();
  if (given_up_) record.report.error = given_up_;
  record.status = status_ == 0 ? kClientGone : status_;
  record.body_bytes = body_bytes_;
  record.is_whole = is_finished_;
  record.total =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - context_.received);
  if (write_request_log(state_.log, record)) state_.flush_log_soon();
  state_.metrics.count_protocol(context_.client.protocol, context_.client.tls);
  state_.metrics.count_request(route_, record.status, record.body_bytes, record.total);
  if (record.report.cache == service::CacheOutcome::kMiss) state_.metrics.count_stages(record.report.timings);
}

}  // namespace optimux::server
