#include "server/rendition_answer.hpp"

#include <cassert>
#include <utility>

#include "http/conditional.hpp"
#include "server/problem_answer.hpp"

namespace optimux::server {

using base::SharedBody;

RenditionAnswer::RenditionAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                                 std::vector<service::OpenedRendition> opened, RenditionExtras extras)
    : state_(state),
      request_(request),
      context_(context),
      rendition_(opened.at(0).rendition),
      outcome_(opened[0].outcome),
      extras_(std::move(extras)),
      reader_(std::move(opened[0].reader)) {
  for (std::size_t i = 1; i < opened.size(); ++i) companions_.push_back(std::move(opened[i].reader));
}

RenditionAnswer::~RenditionAnswer() {
  if (!has_head_ || !reader_) return;
  // Whoever asks for the head asks for the picture next: the work that the head took goes on into the cache.
  const bool wants_head_only = request_.method == "HEAD" && !instead_;
  if (!wants_head_only && !reader_.at_end()) return;
  if (wants_head_only) state_.keeper.keep(std::move(reader_));
  for (SharedBody::Reader& companion : companions_) state_.keeper.keep(std::move(companion));
}

std::optional<http::ResponseHead> RenditionAnswer::take_head() {
  if (has_head_) return std::nullopt;
  const SharedBody::State body_state = rendition_->body()->state();
  if (body_state == SharedBody::State::kPending) return std::nullopt;
  has_head_ = true;
  if (body_state == SharedBody::State::kFailed) {
    http::Headers fields;
    if (extras_.varies_by_accept) fields.add("Vary", "Accept");
    instead_ = problem_answer(state_, context_, *rendition_->body()->error(), std::move(fields));
    return instead_->take_head();
  }
  reader_.acknowledge_head();
  const service::RenditionFacts facts = rendition_->facts();
  http::Headers fields = validator_fields(facts, context_, extras_);
  const bool is_current = http::is_not_modified(request_.headers, facts.etag, facts.last_modified);
  return is_current ? not_modified(std::move(fields)) : success(std::move(fields));
}

http::ResponseHead RenditionAnswer::not_modified(http::Headers fields) {
  add_timing_fields(fields, *rendition_, outcome_, context_);
  instead_ = empty_answer(304, std::move(fields));
  return *instead_->take_head();
}

http::ResponseHead RenditionAnswer::success(http::Headers fields) {
  add_content_fields(fields, rendition_->body()->head()->content_type, extras_);
  add_timing_fields(fields, *rendition_, outcome_, context_);
  http::ResponseHead head{200, std::move(fields), std::nullopt};
  if (rendition_->body()->state() == SharedBody::State::kComplete) head.content_length = rendition_->body()->size();
  return head;
}

Answer::Window RenditionAnswer::window(std::size_t max_pieces) {
  if (instead_) return instead_->window(max_pieces);
  // The state is asked for before the bytes: a body that was complete then has no bytes that are not seen now.
  const SharedBody::State body_state = rendition_->body()->state();
  Window window;
  if (body_state == SharedBody::State::kFailed) {
    window.state = Window::State::kFailed;
    return window;
  }
  window.pieces = reader_.peek_many(max_pieces);
  std::uint64_t end = reader_.offset();
  for (const auto& piece : window.pieces) end += piece.size();
  const bool is_rest = body_state == SharedBody::State::kComplete && end == rendition_->body()->size();
  window.state = is_rest ? Window::State::kLast : Window::State::kMore;
  return window;
}

void RenditionAnswer::consume(std::size_t count) {
  if (instead_) {
    instead_->consume(count);
  } else {
    reader_.consume(count);
  }
}

bool RenditionAnswer::wait(std::function<void()> wake) {
  return !instead_ && reader_.wait(std::move(wake));
}

AnswerReport RenditionAnswer::report() const {
  AnswerReport report;
  report.cache = outcome_;
  report.timings = rendition_->timings();
  report.error = rendition_->body()->error();
  return report;
}

}  // namespace optimux::server
