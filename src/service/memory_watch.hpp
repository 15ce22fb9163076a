#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/deadline.hpp"
#include "base/mutex.hpp"

namespace optimux::service {

/// Bytes of this process that are in memory now (proc(5), statm); 0 if that cannot be read. Takes microseconds.
std::uint64_t resident_bytes();

/// Bytes that this process may take before the kernel ends it or begins to swap: the least of the limits of its control
/// groups, of both versions, and of the memory of the machine. Reads a few small files that never touch a disk.
std::uint64_t memory_ceiling();

/// Watches how near the process is to its limit of memory, so that it gives way before the kernel takes it away. Looks
/// when it is asked, and not more often than every 50 ms: memory is taken by those who ask. Thread-safe.
class MemoryWatch {
 public:
  using Clock = base::Deadline::Clock;
  /// How many bytes are taken.
  using Gauge = std::function<std::uint64_t()>;

  enum class Level {
    kPlenty,
    kTight,     ///< From 80 % of the limit on: what is kept for later goes.
    kShort,     ///< From 90 % on: nothing new is begun.
    kCritical,  ///< From 95 % on: connections are not kept open.
  };

  struct Look {
    Level level = Level::kPlenty;
    bool is_new = false;  ///< Whether the bytes were counted for this one.
  };

  /// `limit` is in bytes; 0: nine tenths of `memory_ceiling`.
  explicit MemoryWatch(std::uint64_t limit, Gauge gauge = resident_bytes);

  Look look(Clock::time_point now) OPTIMUX_EXCLUDES(mutex_);
  /// From now on `limit` holds, as in the constructor.
  void set_limit(std::uint64_t limit) OPTIMUX_EXCLUDES(mutex_);
  /// In bytes, as it holds.
  std::uint64_t limit() const OPTIMUX_EXCLUDES(mutex_);

 private:
  const Gauge gauge_;
  mutable base::Mutex mutex_;
  std::uint64_t limit_ OPTIMUX_GUARDED_BY(mutex_);
  Level level_ OPTIMUX_GUARDED_BY(mutex_) = Level::kPlenty;
  Clock::time_point next_look_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service
