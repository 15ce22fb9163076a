#include "http/http2_output.hpp"

#include <algorithm>
#include <cassert>

namespace optimux::http {

Http2Output::Bytes Http2Output::Piece::rest() const {
  return (owner == 0 ? std::as_bytes(std::span(copy)) : reference).subspan(taken);
}

void Http2Output::append(Bytes bytes) {
  if (bytes.empty()) return;
  if (pieces_.empty() || pieces_.back().owner != 0) pieces_.emplace_back();
  pieces_.back().copy.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_ += bytes.size();
}

void Http2Output::append_reference(std::int32_t owner, Bytes bytes) {
  if (bytes.size() < kSmallest) {
    append(bytes);
    return;
  }
  pieces_.push_back(Piece{owner, {}, bytes, 0});
  size_ += bytes.size();
}

void Http2Output::own(std::int32_t owner) {
  for (Piece& piece : pieces_) {
    if (piece.owner != owner) continue;
    const Bytes rest = piece.rest();
    piece = Piece{0, std::string(reinterpret_cast<const char*>(rest.data()), rest.size()), {}, 0};
  }
}

std::vector<Http2Output::Bytes> Http2Output::front(std::size_t most_pieces) const {
  std::vector<Bytes> front;
  front.reserve(std::min(most_pieces, pieces_.size()));
  for (std::size_t i = 0; i < pieces_.size() && i < most_pieces; ++i) front.push_back(pieces_[i].rest());
  return front;
}

void Http2Output::take(std::size_t count) {
  assert(count <= size_ && "takes what there is");
  size_ -= count;
  while (count > 0) {
    Piece& first = pieces_.front();
    const std::size_t part = std::min(count, first.rest().size());
    first.taken += part;
    count -= part;
    if (first.rest().empty()) pieces_.pop_front();
  }
}

}  // namespace optimux::http
