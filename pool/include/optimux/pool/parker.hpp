/// \file
/// Where one worker sleeps until somebody wakes exactly that worker.
#pragma once

#include <atomic>
#include <cstdint>

namespace optimux::pool {

/// One sleeper, one permit. `wait` sleeps in the kernel at once, without spinning: on few CPUs the waker needs the very
/// CPU that a spinning worker would hold.
///
/// Memory ordering: what the waker wrote before `wake` is visible to the sleeper after `wait`.
/// Lifetime: the parker may be destroyed as soon as `wait` has returned.
class Parker {
 public:
  /// Blocks until there is a permit, and takes it. Only the owner may call it.
  void wait();
  /// Whether the owner, when it is woken, leaves the CPU to whoever runs there. Before the first `wait`.
  void give_way(bool gives_way) { gives_way_ = gives_way; }
  /// Gives the permit and wakes the owner if it sleeps. Any thread; at most one call for each `wait`.
  void wake();

 private:
  std::atomic<std::uint32_t> permit_{0};
  bool gives_way_ = false;
};

}  // namespace optimux::pool
