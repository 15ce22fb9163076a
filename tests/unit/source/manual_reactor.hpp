#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "source/reactor.hpp"

namespace optimux::source {

/// A reactor whose loop is the test: posted tasks run when the test says so, timers fire when it fires them.
class ManualReactor final : public Reactor {
 public:
  void post(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  void watch(int, unsigned, std::function<void(unsigned)>) override {}
  TimerId start_timer(std::chrono::milliseconds, std::function<void()> task) override {
    timers_.emplace(++last_timer_, std::move(task));
    return last_timer_;
  }
  void cancel_timer(TimerId timer) override { timers_.erase(timer); }

  /// Runs posted tasks until there is none left.
  void run_posted() {
    for (;;) {
      std::vector<std::function<void()>> tasks;
      {
        const std::lock_guard lock(mutex_);
        tasks.swap(posted_);
      }
      if (tasks.empty()) return;
      for (auto& task : tasks) task();
    }
  }

  /// Fires all timers that are running now.
  void fire_timers() {
    for (auto& [id, task] : std::exchange(timers_, {})) task();
  }

  std::size_t timer_count() const { return timers_.size(); }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::map<TimerId, std::function<void()>> timers_;
  TimerId last_timer_ = 0;
};

}  // namespace optimux::source
