#include "base/buffer_stock.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace optimux::base {

namespace {

using Pieces = std::vector<MemoryPiece>;

Pieces::iterator choose(Pieces& pieces, std::size_t capacity) {
  auto chosen = pieces.end();
  for (auto piece = pieces.begin(); piece != pieces.end(); ++piece) {
    if (piece->capacity / 2 > capacity) continue;
    const bool is_better = chosen == pieces.end() || piece->capacity >= std::min(capacity, chosen->capacity);
    if (is_better) chosen = piece;
  }
  return chosen;
}

}  // namespace

MemoryPiece BufferStock::take(std::size_t capacity) {
  const MutexLock lock(mutex_);
  const auto chosen = choose(pieces_, capacity);
  if (chosen == pieces_.end()) return {};
  MemoryPiece piece = std::move(*chosen);
  pieces_.erase(chosen);
  size_ -= piece.capacity;
  return piece;
}

void BufferStock::give_back(MemoryPiece piece) noexcept {
  if (piece.capacity == 0 || piece.capacity > max_bytes_) return;
  Pieces pushed_out;  // freed after the lock: unmapping takes a while
  const MutexLock lock(mutex_);
  try {
    pushed_out.reserve(pieces_.size());
    pieces_.reserve(pieces_.size() + 1);
  } catch (const std::bad_alloc&) {
    return;  // the piece is freed, which is what is wanted now
  }
  size_ += piece.capacity;
  auto first_kept = pieces_.begin();
  for (; size_ > max_bytes_; ++first_kept) size_ -= first_kept->capacity;
  pushed_out.assign(std::make_move_iterator(pieces_.begin()), std::make_move_iterator(first_kept));
  pieces_.erase(pieces_.begin(), first_kept);
  pieces_.push_back(std::move(piece));
}

std::size_t BufferStock::size() const {
  const MutexLock lock(mutex_);
  return size_;
}

}  // namespace optimux::base
