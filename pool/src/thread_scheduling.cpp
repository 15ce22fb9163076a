#include "optimux/pool/detail/thread_scheduling.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace optimux::pool::detail {

#if defined(__linux__)
// 0 is the calling thread. It needs no privilege, and keeps the nice value.
bool give_way_to_others() noexcept {
  if (::sched_getscheduler(0) != SCHED_OTHER) return false;
  const sched_param none{};
  return ::sched_setscheduler(0, SCHED_BATCH, &none) == 0;
}
void compete_with_others() noexcept {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_OTHER, &none);
}
#else
bool give_way_to_others() noexcept {
  return false;
}
void compete_with_others() noexcept {}
#endif

}  // namespace optimux::pool::detail
