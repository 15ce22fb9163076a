#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/mutex.hpp"

namespace optimux::base {

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

/// Memory from malloc(3), not set to anything.
struct MemoryPiece {
  std::unique_ptr<std::byte, FreeBytes> bytes;
  std::size_t capacity = 0;
};

/// A few large pieces of memory that were used a moment ago, kept for who needs one next. What the system gives instead
/// are pages that it has to find, set to zero and map one by one, which costs more than reading a file into them. Any
/// thread; nothing blocks for longer than a short mutex.
class BufferStock {
 public:
  /// Keeps at most `max_bytes` bytes: the latest that came back.
  explicit BufferStock(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  BufferStock(const BufferStock&) = delete;
  BufferStock& operator=(const BufferStock&) = delete;
  ~BufferStock() = default;

  /// The latest piece of at least `capacity` bytes and at most twice as many; else the largest of the smaller ones, for
  /// its owner to let grow (realloc(3) moves the pages that there are); else none. What it holds is anything.
  MemoryPiece take(std::size_t capacity) OPTIMUX_EXCLUDES(mutex_);
  /// Keeps `piece`, which may push out older ones, or frees it: where it is larger than the whole stock, or
  /// where there is no memory to note it.
  void give_back(MemoryPiece piece) noexcept OPTIMUX_EXCLUDES(mutex_);

  /// Bytes that are kept now.
  std::size_t size() const OPTIMUX_EXCLUDES(mutex_);

 private:
  const std::size_t max_bytes_;
  mutable Mutex mutex_;
  std::vector<MemoryPiece> pieces_ OPTIMUX_GUARDED_BY(mutex_);  ///< Oldest first.
  std::size_t size_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::base
