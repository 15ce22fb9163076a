#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace optimux::http {

/// The bytes that a connection is to write next, in order. What belongs to the protocol is kept here; the bytes of
/// bodies are only pointed at, until they are written or their owner says that they go away. Not thread-safe.
class Http2Output {
 public:
  using Bytes = std::span<const std::byte>;

  /// Below this a copy is cheaper than one more piece in a system call.
  static constexpr std::size_t kSmallest = 512;

  /// Adds a copy.
  void append(Bytes bytes);
  /// Adds bytes that belong to stream `owner` (more than 0) and stay valid until `own(owner)` or until they are taken.
  void append_reference(std::int32_t owner, Bytes bytes);
  /// The bytes of stream `owner` are about to go away: copies those that are left.
  void own(std::int32_t owner);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The first pieces, at most so many. Valid until anything is added, owned or taken.
  std::vector<Bytes> front(std::size_t most_pieces) const;
  /// `count` bytes from the front have been written.
  void take(std::size_t count);

 private:
  struct Piece {
    std::int32_t owner = 0;  ///< 0: `copy` is meant, else `reference`.
    std::string copy;
    Bytes reference;
    std::size_t taken = 0;  ///< Bytes from the front that are gone.

    Bytes rest() const;
  };

  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace optimux::http
