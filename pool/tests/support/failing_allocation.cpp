#include "support/failing_allocation.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local bool fails = false;

void* checked(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void check_supply() {
  if (fails) throw std::bad_alloc();
}

}  // namespace

// The arrays' operators call these.
void* operator new(std::size_t size) {
  check_supply();
  return checked(std::malloc(size == 0 ? 1 : size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  check_supply();
  const auto unit = static_cast<std::size_t>(alignment);
  return checked(std::aligned_alloc(unit, (size / unit + 1) * unit));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace optimux::pool::testing {

FailingAllocation::FailingAllocation() {
  fails = true;
}
FailingAllocation::~FailingAllocation() {
  fails = false;
}

}  // namespace optimux::pool::testing
