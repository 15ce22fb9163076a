#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/mutex.hpp"
#include "service/byte_lru.hpp"
#include "service/rendition.hpp"

namespace optimux::service {

/// Finished renditions in memory, bounded by bytes; the one used longest ago leaves first (`ByteLru`). Thread-safe;
/// nothing blocks for longer than a short mutex.
class MemoryCache {
  struct KeyOf {
    std::string_view operator()(const std::shared_ptr<Rendition>& rendition) const { return rendition->key(); }
  };
  using Renditions = ByteLru<std::shared_ptr<Rendition>, KeyOf>;

 public:
  using Figures = Renditions::Figures;
  using Clock = std::chrono::steady_clock;

  /// Keeps up to `capacity` bytes, 0 keeps nothing. Renditions are fresh for `lifetime` since `validated_at`: a source
  /// that has been replaced is noticed after that time.
  explicit MemoryCache(std::uint64_t capacity, std::chrono::milliseconds lifetime = std::chrono::hours(24))
      : lifetime_(lifetime), renditions_(capacity) {}

  /// The rendition of that key, now the most recently used; null when it is not kept, or not fresh any more at `now`.
  std::shared_ptr<Rendition> find(std::string_view key, Clock::time_point now = Clock::now()) OPTIMUX_EXCLUDES(mutex_);

  /// The rendition of that key, whatever its age; null when it is not kept. For who asks its source before giving it
  /// out.
  std::shared_ptr<Rendition> find_kept(std::string_view key) const OPTIMUX_EXCLUDES(mutex_);

  /// Keeps `rendition`, whose body must be complete, in place of one with the same key, if there is ever room for it.
  void insert(std::shared_ptr<Rendition> rendition) OPTIMUX_EXCLUDES(mutex_);

  /// Forgets all renditions that `predicate` is true of. It is called under the mutex for every one that is kept: for
  /// what an administrator does, not for what a request does.
  void erase_if(const std::function<bool(const Rendition& rendition)>& predicate) OPTIMUX_EXCLUDES(mutex_);

  /// From now on keeps up to `capacity` bytes; evicts at once what is over.
  void set_capacity(std::uint64_t capacity) OPTIMUX_EXCLUDES(mutex_);

  /// Drops those used longest ago until half of the bytes are left, once.
  void halve() OPTIMUX_EXCLUDES(mutex_);

  /// From now on renditions are fresh for `lifetime`.
  void set_lifetime(std::chrono::milliseconds lifetime) OPTIMUX_EXCLUDES(mutex_);

  Figures figures() const OPTIMUX_EXCLUDES(mutex_);

  /// Memory that `rendition` costs when kept: its body's blocks, its key, and what surrounds them.
  static std::uint64_t cost_of(const Rendition& rendition);

 private:
  mutable base::Mutex mutex_;
  std::chrono::milliseconds lifetime_ OPTIMUX_GUARDED_BY(mutex_);
  Renditions renditions_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
