#include "server/conditional_answer.hpp"

#include <cassert>
#include <utility>

#include "http/conditional.hpp"
#include "server/problem_answer.hpp"

namespace optimux::server {

ConditionalAnswer::ConditionalAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                                     const service::OpenedRendition& first, RenditionExtras extras)
    : state_(state),
      request_(request),
      context_(context),
      first_(first.rendition),
      outcome_(first.outcome),
      extras_(std::move(extras)) {}

std::optional<http::ResponseHead> ConditionalAnswer::take_head() {
  if (has_head_) return std::nullopt;
  const bool ready = is_ready();
  if (auto error = failure()) return problem(*std::move(error));
  if (!ready && has_seen_facts_) return std::nullopt;
  const auto shared = facts();
  const service::RenditionFacts& known = *shared;
  has_seen_facts_ = !known.etag.empty();
  if (!ready && !has_seen_facts_) return std::nullopt;
  const bool is_current = ready ? http::is_not_modified(request_.headers, known.etag, known.last_modified)
                                : http::names_etag(request_.headers, known.etag);
  if (!ready && !is_current) return std::nullopt;
  has_head_ = true;
  http::Headers fields = validator_fields(known, context_, extras_);
  return is_current ? not_modified(std::move(fields)) : success(std::move(fields), known.etag);
}

/// Facts without bytes: the source is there and is a picture, and what is left to do takes its time. What was found
/// below the memory is there a moment later.
std::vector<std::string> ConditionalAnswer::early_links() const {
  const bool is_being_made = has_seen_facts_ && !has_head_ && !first_->found_as();
  return is_being_made ? extras_.links : std::vector<std::string>();
}

http::ResponseHead ConditionalAnswer::problem(base::Error error, http::Headers fields) {
  has_head_ = true;
  if (extras_.varies_by_accept) fields.add("Vary", "Accept");
  instead_ = problem_answer(state_, context_, std::move(error), std::move(fields));
  return *instead_->take_head();
}

http::ResponseHead ConditionalAnswer::not_modified(http::Headers fields) {
  add_timing_fields(fields, *first_, outcome(), context_);
  instead_ = empty_answer(304, std::move(fields));
  return *instead_->take_head();
}

http::ResponseHead ConditionalAnswer::success(http::Headers fields, std::string_view etag) {
  const std::optional<std::uint64_t> size = begin_body();
  if (serves_parts()) fields.add("Accept-Ranges", "bytes");
  add_content_fields(fields, content_type(), extras_);
  add_timing_fields(fields, *first_, outcome(), context_);
  http::RangeSelection selection;
  // Range has a meaning for GET alone (RFC 9110, section 14.2).
  if (size && serves_parts() && request_.method == "GET") {
    selection = http::select_range(request_.headers, etag, *size);
  }
  switch (selection.verdict) {
    case http::RangeSelection::Verdict::kPart: return part(std::move(fields), selection.part, *size);
    case http::RangeSelection::Verdict::kUnsatisfiable: return unsatisfiable(*size);
    case http::RangeSelection::Verdict::kWhole: break;
  }
  return {200, std::move(fields), size};
}

http::ResponseHead ConditionalAnswer::part(http::Headers fields, const http::ByteRange& range, std::uint64_t size) {
  select_part(range);
  fields.add("Content-Range", http::content_range(range, size));
  return {206, std::move(fields), range.size()};
}

http::ResponseHead ConditionalAnswer::unsatisfiable(std::uint64_t size) {
  base::Error error{base::ErrorCode::kRangeNotSatisfiable, {}, {}};
  error.detail = "Range: no byte of it exists; there are " + std::to_string(size);
  return problem(std::move(error), {{"Content-Range", http::unsatisfied_range(size)}});
}

void ConditionalAnswer::select_part(const http::ByteRange&) {
  assert(false && "this answer is sent whole");
}

Answer::Window ConditionalAnswer::window(std::size_t max_pieces, Cut cut) {
  return instead_ ? instead_->window(max_pieces, cut) : body_window(max_pieces, cut);
}

void ConditionalAnswer::consume(std::size_t count) {
  instead_ ? instead_->consume(count) : consume_body(count);
}

bool ConditionalAnswer::wait(std::function<void()> wake) {
  if (instead_ || !wait_for_body(std::move(wake))) return false;
  // They may have become known before the wait began, and would wake nobody then.
  if (has_head_ || has_seen_facts_ || facts()->etag.empty()) return true;
  cancel_wait();
  return false;
}

AnswerReport ConditionalAnswer::report() const {
  AnswerReport report;
  report.cache = outcome();
  report.timings = first_->timings();
  report.error = failure();
  return report;
}

}  // namespace optimux::server
