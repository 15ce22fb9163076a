#include "optimux/pool/clock.hpp"

#include <algorithm>

namespace optimux::pool {
namespace {

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return std::chrono::steady_clock::now(); }

  bool wait_until(Condition& condition, Mutex& mutex, TimePoint deadline) override OPTIMUX_POOL_REQUIRES(mutex) {
    if (deadline == kNever) {
      condition.wait(mutex);
      return true;
    }
    condition.wait_until(mutex, deadline);
    return now() < deadline;
  }
};

}  // namespace

std::shared_ptr<Clock> Clock::steady() {
  static const std::shared_ptr<Clock> kClock = std::make_shared<SteadyClock>();
  return kClock;
}

TimePoint ManualClock::now() const {
  const MutexLock lock(mutex_);
  return now_;
}

bool ManualClock::wait_until(Condition& condition, Mutex& mutex, TimePoint deadline) {
  {
    const MutexLock lock(mutex_);
    if (now_ >= deadline) return false;
    waiters_.push_back({&condition, &mutex});
  }
  condition.wait(mutex);
  const MutexLock lock(mutex_);
  waiters_.erase(std::find_if(waiters_.begin(), waiters_.end(),
                              [&](const Waiter& waiter) { return waiter.condition == &condition; }));
  return now_ < deadline;
}

void ManualClock::advance(Duration step) {
  std::vector<Waiter> waiters;
  {
    const MutexLock lock(mutex_);
    now_ += step;
    waiters = waiters_;
  }
  // Taking each waiter's mutex means that it is either blocked already, or has yet to look at the new time.
  for (const Waiter& waiter : waiters) {
    const MutexLock lock(*waiter.mutex);
    waiter.condition->notify_all();
  }
}

}  // namespace optimux::pool
