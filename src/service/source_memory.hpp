#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/mutex.hpp"

namespace optimux::service {

/// The memory of sources that have been fetched and not yet rendered. A full queue of small jobs may hold large
/// sources, so the queue's length alone bounds no memory. Who does not fit is refused, not made to wait: waiting would
/// keep the source. One is always taken, however large, so that no source is refused for ever.
///
/// A source that several jobs share counts for each: sharing ends when the first of them renders. Thread-safe; nothing
/// blocks for longer than a short mutex. Must be owned by a shared_ptr.
class SourceMemory : public std::enable_shared_from_this<SourceMemory> {
 public:
  /// Memory that has been taken; dropping it gives it back. Movable. An empty one holds nothing.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept : memory_(std::move(other.memory_)), bytes_(other.bytes_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(memory_, other.memory_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Lease() {
      if (memory_) memory_->give_back(bytes_);
    }
    /// Whether memory was taken.
    explicit operator bool() const { return memory_ != nullptr; }

   private:
    friend class SourceMemory;
    Lease(std::shared_ptr<SourceMemory> memory, std::uint64_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}

    std::shared_ptr<SourceMemory> memory_;
    std::uint64_t bytes_ = 0;
  };

  explicit SourceMemory(std::uint64_t total) : total_(total) {}

  /// Takes `bytes`; an empty lease when they do not fit.
  Lease take(std::uint64_t bytes) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (in_use_ > 0 && (bytes > total_ || in_use_ > total_ - bytes)) return {};
    in_use_ += bytes;
    return Lease(shared_from_this(), bytes);
  }

  /// From now on there are `total` bytes. What has been taken stays.
  void set_total(std::uint64_t total) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    total_ = total;
  }

  std::uint64_t in_use() const OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return in_use_;
  }

 private:
  void give_back(std::uint64_t bytes) OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    in_use_ -= bytes;
  }

  mutable base::Mutex mutex_;
  std::uint64_t total_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t in_use_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
