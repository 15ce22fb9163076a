#pragma once

#include <cstddef>
#include <memory>

#include "base/mutex.hpp"

namespace optimux::service {

/// Counts what is under way, so that an owner can wait for the end of it before it goes. Thread-safe. Must be owned by
/// a shared_ptr: a pass may be the last that knows of it.
class ActivityGate : public std::enable_shared_from_this<ActivityGate> {
 public:
  /// One activity; it ends when the last copy of its pass is gone.
  class Pass {
   public:
    explicit Pass(std::shared_ptr<ActivityGate> gate) : gate_(std::move(gate)) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { gate_->leave(); }

   private:
    std::shared_ptr<ActivityGate> gate_;
  };

  std::shared_ptr<Pass> enter() OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    ++inside_;
    return std::make_shared<Pass>(shared_from_this());
  }

  /// Blocks until no activity is under way.
  void wait_until_empty() OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (inside_ > 0) emptied_.wait(mutex_);
  }

 private:
  void leave() OPTIMUX_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (--inside_ == 0) emptied_.notify_all();
  }

  base::Mutex mutex_;
  base::ConditionVariable emptied_;
  std::size_t inside_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
