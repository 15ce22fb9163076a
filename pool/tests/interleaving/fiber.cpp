#include "interleaving/fiber.hpp"

#include <cstdint>
#include <cstdlib>

#if defined(OPTIMUX_POOL_ASAN_FIBERS)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
#include <sanitizer/tsan_interface.h>
#endif

namespace optimux::pool::testing {
namespace {

constexpr std::size_t kStackSize = 512 * 1024;

}  // namespace

Fiber::Fiber() : stack_(kStackSize) {
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.data();
  own_.uc_stack.ss_size = stack_.size();
  own_.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::main), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
  tsan_own_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
  __tsan_destroy_fiber(tsan_own_);
#endif
}

void Fiber::enter() {
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  __sanitizer_start_switch_fiber(&caller_fake_stack_, stack_.data(), stack_.size());
#endif
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
  tsan_caller_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_own_, 0);
#endif
  ::swapcontext(&caller_, &own_);
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  __sanitizer_start_switch_fiber(&own_fake_stack_, caller_stack_, caller_stack_size_);
#endif
#if defined(OPTIMUX_POOL_TSAN_FIBERS)
  __tsan_switch_to_fiber(tsan_caller_, 0);
#endif
  ::swapcontext(&own_, &caller_);
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  __sanitizer_finish_switch_fiber(own_fake_stack_, &caller_stack_, &caller_stack_size_);
#endif
}

void Fiber::main(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Fiber*>((static_cast<std::uintptr_t>(high) << 32) | low);
#if defined(OPTIMUX_POOL_ASAN_FIBERS)
  __sanitizer_finish_switch_fiber(nullptr, &self->caller_stack_, &self->caller_stack_size_);
#endif
  self->loop();
}

void Fiber::loop() {
  for (;;) {
    task_();
    task_ = nullptr;
    leave();
  }
}

}  // namespace optimux::pool::testing
