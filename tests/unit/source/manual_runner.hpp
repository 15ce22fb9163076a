#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "source/reactor.hpp"

namespace optimux::source {

/// A `BlockingRunner` that keeps work until the test runs it, in the test's thread.
class ManualRunner {
 public:
  BlockingRunner runner() {
    return [this](std::function<void()> work) {
      const std::lock_guard lock(mutex_);
      if (refuses_) return false;
      waiting_.push_back(std::move(work));
      return true;
    };
  }

  void refuse() { refuses_ = true; }

  /// Runs what waits, and returns how much that was.
  std::size_t run_all() {
    std::vector<std::function<void()>> work;
    {
      const std::lock_guard lock(mutex_);
      work.swap(waiting_);
    }
    for (auto& piece : work) piece();
    return work.size();
  }

 private:
  std::mutex mutex_;
  bool refuses_ = false;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace optimux::source
