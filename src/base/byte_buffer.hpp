#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace optimux::base {

/// Bytes in one piece, for sources of megabytes: what grows is neither set to zero nor, where it is large, copied. (A
/// `std::vector` does both; writing a page before its content comes is what costs.) Moved, not copied. Not thread-safe.
/// Throws std::bad_alloc where memory is used up.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  /// A copy of `bytes`.
  explicit ByteBuffer(std::span<const std::byte> bytes);
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer&& other) noexcept;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() = default;

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size_; }

  /// Makes room for `capacity` bytes, and for no more than that. Keeps what is there; does nothing if there is room.
  void reserve(std::size_t capacity);
  /// Sets the size. Bytes that are new hold anything until they are written; room that is left over is kept.
  void resize(std::size_t size);
  /// Adds a copy of `bytes`, which must not lie in this buffer. Takes time proportional to their number, amortised.
  void append(std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace optimux::base
