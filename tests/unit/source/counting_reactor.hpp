#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "source/reactor.hpp"

namespace optimux::source {

/// A reactor on another one that knows what is left on it. As usual of the loop's thread, but for `post`.
class CountingReactor final : public Reactor {
 public:
  /// `reactor` outlives it, and the tasks that were posted through it.
  explicit CountingReactor(Reactor& reactor) : reactor_(reactor) {}

  void post(std::function<void()> task) override { reactor_.post(std::move(task)); }
  void watch(int descriptor, unsigned interest, std::function<void(unsigned)> callback) override {
    interest == kNone ? watched_.erase(descriptor) : watched_.insert(descriptor).second;
    reactor_.watch(descriptor, interest, std::move(callback));
  }
  TimerId start_timer(std::chrono::milliseconds delay, std::function<void()> task) override {
    const auto id = std::make_shared<TimerId>(0);
    *id = reactor_.start_timer(delay, [this, id, task = std::move(task)] {
      timers_.erase(*id);
      task();
    });
    timers_.insert(*id);
    return *id;
  }
  void cancel_timer(TimerId timer) override {
    timers_.erase(timer);
    reactor_.cancel_timer(timer);
  }

  /// Descriptors that are watched, and timers that run.
  std::size_t watched() const { return watched_.size(); }
  std::size_t timers() const { return timers_.size(); }

 private:
  Reactor& reactor_;
  std::set<int> watched_;
  std::set<TimerId> timers_;
};

}  // namespace optimux::source
