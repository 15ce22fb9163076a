#include "source/range_pieces.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace optimux::source {

std::span<const std::byte> RangePieces::find(std::uint64_t offset) {
  const auto piece = covering(offset);
  if (piece == pieces_.end()) return {};
  pieces_.at(piece->first).used = ++uses_;
  return std::span(piece->second.bytes->data(), piece->second.bytes->size()).subspan(offset - piece->first);
}

std::uint64_t RangePieces::first_missing(std::uint64_t offset) const {
  for (auto piece = covering(offset); piece != pieces_.end(); piece = covering(offset)) {
    offset = piece->first + piece->second.bytes->size();
  }
  return offset;
}

std::uint64_t RangePieces::next_piece(std::uint64_t offset, std::uint64_t limit) const {
  const auto next = pieces_.lower_bound(offset);
  return next == pieces_.end() ? limit : std::min(limit, next->first);
}

void RangePieces::insert(std::uint64_t offset, std::shared_ptr<const base::ByteBuffer> bytes) {
  assert(bytes && !bytes->empty() && "a piece has bytes");
  // What begins inside of the new one would hide it from those who look for what comes behind.
  for (auto inner = pieces_.lower_bound(offset); inner != pieces_.end() && inner->first < offset + bytes->size();) {
    erase(inner++);
  }
  size_ += bytes->size();
  pieces_.emplace(offset, Piece{std::move(bytes), ++uses_});
  while (size_ > max_bytes_ && pieces_.size() > 1) {
    erase(std::min_element(pieces_.cbegin(), pieces_.cend(),
                           [](const auto& left, const auto& right) { return left.second.used < right.second.used; }));
  }
}

RangePieces::Pieces::const_iterator RangePieces::covering(std::uint64_t offset) const {
  const auto behind = pieces_.upper_bound(offset);
  if (behind == pieces_.begin()) return pieces_.end();
  const auto piece = std::prev(behind);
  return offset - piece->first < piece->second.bytes->size() ? piece : pieces_.end();
}

void RangePieces::erase(Pieces::const_iterator piece) {
  size_ -= piece->second.bytes->size();
  pieces_.erase(piece);
}

}  // namespace optimux::source
