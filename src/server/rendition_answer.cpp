#include "server/rendition_answer.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace optimux::server {

using base::SharedBody;

namespace {

void keep_first(std::vector<std::span<const std::byte>>& pieces, std::uint64_t count) {
  auto piece = pieces.begin();
  for (; piece != pieces.end() && count > 0; ++piece) {
    *piece = piece->first(static_cast<std::size_t>(std::min<std::uint64_t>(count, piece->size())));
    count -= piece->size();
  }
  pieces.erase(piece, pieces.end());
}

}  // namespace

RenditionAnswer::RenditionAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                                 std::vector<service::OpenedRendition> opened, RenditionExtras extras)
    : ConditionalAnswer(state, request, context, opened.at(0), std::move(extras)),
      rendition_(opened[0].rendition),
      reader_(std::move(opened[0].reader)) {
  reader_.acknowledge_head();  // Alone it is no news here.
  for (std::size_t i = 1; i < opened.size(); ++i) companions_.push_back(std::move(opened[i].reader));
}

RenditionAnswer::~RenditionAnswer() {
  if (!is_success()) return;
  // Whoever asks for the head asks for the picture next: the work that the head took goes on into the cache.
  const bool wants_head_only = request().method == "HEAD";
  if (!wants_head_only && !is_sent()) return;
  if (wants_head_only) state().keeper.keep(std::move(reader_));
  for (SharedBody::Reader& companion : companions_) state().keeper.keep(std::move(companion));
}

bool RenditionAnswer::is_sent() const {
  return part_end_ ? reader_.offset() == *part_end_ : reader_.at_end();
}

bool RenditionAnswer::is_ready() const {
  return rendition_->body()->size() > 0 || rendition_->body()->state() == SharedBody::State::kComplete;
}

std::optional<std::uint64_t> RenditionAnswer::begin_body() {
  if (rendition_->body()->state() != SharedBody::State::kComplete) return std::nullopt;
  return rendition_->body()->size();
}

void RenditionAnswer::select_part(const http::ByteRange& part) {
  reader_.seek(part.first);
  part_end_ = part.last + 1;
}

Answer::Window RenditionAnswer::body_window(std::size_t max_pieces, Cut cut) {
  // The state is asked for before the bytes: a body that was complete then has no bytes that are not seen now.
  const SharedBody::State body_state = rendition_->body()->state();
  Window window;
  if (body_state == SharedBody::State::kFailed) {
    window.state = Window::State::kFailed;
    return window;
  }
  window.pieces = reader_.peek_many(max_pieces);
  const base::PhaseSpan phase = reader_.phase();  // After the bytes, so that all of them have theirs.
  window.phase = phase.phase;
  if (cut == Cut::kPhase && phase.end) keep_first(window.pieces, *phase.end - reader_.offset());
  if (part_end_) keep_first(window.pieces, *part_end_ - reader_.offset());
  std::uint64_t end = reader_.offset();
  for (const auto& piece : window.pieces) end += piece.size();
  const bool is_rest =
      body_state == SharedBody::State::kComplete && end == part_end_.value_or(rendition_->body()->size());
  window.state = is_rest ? Window::State::kLast : Window::State::kMore;
  return window;
}

}  // namespace optimux::server
