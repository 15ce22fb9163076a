#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/byte_buffer.hpp"

namespace optimux::source {

/// Parts of one file in memory, bounded by bytes: those used longest ago go first. Not thread-safe.
class RangePieces {
 public:
  /// Keeps up to `max_bytes` bytes, and in any case what was inserted last.
  explicit RangePieces(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// What there is from `offset` on, in one piece; empty if `offset` is missing. Valid until the next `insert`. It is
  /// now the piece used last.
  std::span<const std::byte> find(std::uint64_t offset);

  /// The first offset from `offset` on that is missing.
  std::uint64_t first_missing(std::uint64_t offset) const;
  /// Where the first piece begins that begins at `offset` or behind it; `limit` if there is none before that.
  std::uint64_t next_piece(std::uint64_t offset, std::uint64_t limit) const;

  /// Keeps `bytes`, which is neither null nor empty, as those from `offset` on.
  void insert(std::uint64_t offset, std::shared_ptr<const base::ByteBuffer> bytes);

  std::size_t size() const { return size_; }

 private:
  struct Piece {
    std::shared_ptr<const base::ByteBuffer> bytes;
    std::uint64_t used = 0;  ///< When, in uses.
  };
  using Pieces = std::map<std::uint64_t, Piece>;  ///< By where they begin.

  Pieces::const_iterator covering(std::uint64_t offset) const;
  void erase(Pieces::const_iterator piece);

  const std::size_t max_bytes_;
  Pieces pieces_;
  std::size_t size_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace optimux::source
