/// \file
/// A second stack to run on, known to the sanitizers.
#pragma once

#include <ucontext.h>
#include <functional>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OPTIMUX_POOL_ASAN_FIBERS
#endif
#if __has_feature(thread_sanitizer)
#define OPTIMUX_POOL_TSAN_FIBERS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define OPTIMUX_POOL_ASAN_FIBERS
#endif
#if defined(__SANITIZE_THREAD__)
#define OPTIMUX_POOL_TSAN_FIBERS
#endif

namespace optimux::pool::testing {

/// Runs functions on a stack of its own; `leave` goes back to the caller of `enter`, the next `enter` goes on from
/// there.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Gives the fiber something to run. The task before must have ended.
  void load(std::function<void()> task) { task_ = std::move(task); }
  /// Runs the task until it leaves or ends.
  void enter();
  /// Called by the task: goes back to whoever entered.
  void leave();

 private:
  static void main(unsigned high, unsigned low);
  [[noreturn]] void loop();

  std::vector<char> stack_;
  ucontext_t own_{};
  ucontext_t caller_{};
  std::function<void()> task_;
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  void* own_fake_stack_ = nullptr;
  void* caller_fake_stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  std::size_t caller_stack_size_ = 0;
#endif
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
  void* tsan_own_ = nullptr;
  void* tsan_caller_ = nullptr;
#endif
};

}  // namespace optimux::pool::testing
