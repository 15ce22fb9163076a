#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/buffer_stock.hpp"

namespace optimux::base {

/// Bytes in one piece, for sources of megabytes: what grows is neither set to zero nor, where it is large, copied. (A
/// `std::vector` does both; writing a page before its content comes is what costs.) Moved, not copied. Not thread-safe.
/// Throws std::bad_alloc where memory is used up.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  /// Takes its memory from `stock` where that has a piece that fits, and leaves it there in the end. `stock` may be
  /// null.
  explicit ByteBuffer(std::shared_ptr<BufferStock> stock) : stock_(std::move(stock)) {}
  /// A copy of `bytes`.
  explicit ByteBuffer(std::span<const std::byte> bytes);
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer&& other) noexcept;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() { give_back(); }

  std::byte* data() { return memory_.bytes.get(); }
  const std::byte* data() const { return memory_.bytes.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return memory_.capacity; }
  bool empty() const { return size_ == 0; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size_; }

  /// Makes room for `capacity` bytes: for just as many, or with a piece from the stock for up to twice as many. Keeps
  /// what is there; does nothing if there is room.
  void reserve(std::size_t capacity);
  /// Sets the size. Bytes that are new hold anything until they are written; room that is left over is kept.
  void resize(std::size_t size);
  /// Adds a copy of `bytes`, which must not lie in this buffer. Takes time proportional to their number, amortised.
  void append(std::span<const std::byte> bytes);

 private:
  void give_back();

  std::shared_ptr<BufferStock> stock_;  ///< Null: from the system and back to it.
  MemoryPiece memory_;
  std::size_t size_ = 0;
};

}  // namespace optimux::base
