#include "optimux/pool/parker.hpp"

#include "optimux/pool/detail/thread_scheduling.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace optimux::pool {
namespace {

#if defined(__linux__)
// std::atomic::wait of libstdc++ 12 pauses and yields sixteen times before it sleeps; the bare system call does not.
void sleep_while_zero(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0U, nullptr, nullptr, 0);
}
// The sleeper may already have seen the permit and freed the word; waking an address that nobody waits on is harmless.
void wake_one(std::atomic<std::uint32_t>* word) {
  ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
#else
void sleep_while_zero(std::atomic<std::uint32_t>& word) {
  word.wait(0, std::memory_order_acquire);
}
void wake_one(std::atomic<std::uint32_t>* word) {
  word->notify_one();
}
#endif

}  // namespace

// Gives way only while it sleeps here: what wakes it in the middle of a job is to be followed at once.
void Parker::wait() {
  if (permit_.exchange(0, std::memory_order_acquire) != 0) return;
  const bool gives_way = gives_way_ && detail::give_way_to_others();
  while (permit_.exchange(0, std::memory_order_acquire) == 0) sleep_while_zero(permit_);
  if (gives_way) detail::compete_with_others();
}

void Parker::wake() {
  std::atomic<std::uint32_t>* const word = &permit_;
  permit_.store(1, std::memory_order_release);
  wake_one(word);
}

}  // namespace optimux::pool
