#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "source/descriptor.hpp"
#include "source/reactor.hpp"

struct pollfd;

namespace optimux::source {

/// A small event loop on poll(2), for the command line and for tests: every turn costs time in proportion to the
/// descriptors watched, of which a command has a handful.
class PollReactor final : public Reactor {
 public:
  /// Errors: kInternal when the process may not have another descriptor.
  static base::Result<std::unique_ptr<PollReactor>> make();
  ~PollReactor() override;

  void post(std::function<void()> task) override OPTIMUX_EXCLUDES(mutex_);
  void watch(int descriptor, unsigned interest, std::function<void(unsigned ready)> callback) override;
  TimerId start_timer(std::chrono::milliseconds delay, std::function<void()> task) override;
  void cancel_timer(TimerId timer) override;

  /// Makes the calling thread the loop's thread and runs callbacks in it until `stop`. Blocks. May be called again.
  void run();
  /// Makes `run` return once the tasks posted before have run; without a `run` under way, the next one. Any thread.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Watch {
    unsigned interest = kNone;
    std::uint64_t registration = 0;  ///< Tells a new watch from an old one of the same descriptor number.
    std::shared_ptr<const std::function<void(unsigned)>> callback;
  };

  explicit PollReactor(Descriptor wake) : wake_(std::move(wake)) {}
  void run_posted() OPTIMUX_EXCLUDES(mutex_);
  void run_due_timers();
  void wait_for_events();
  void dispatch(const pollfd& event, std::uint64_t registration);
  void drain_wake();
  int poll_timeout() const;

  const Descriptor wake_;  ///< An eventfd, readable when something was posted.
  base::Mutex mutex_;
  std::vector<std::function<void()>> posted_ OPTIMUX_GUARDED_BY(mutex_);
  // Of the loop's thread alone.
  std::map<int, Watch> watches_;
  std::uint64_t next_registration_ = 1;
  std::map<std::pair<Clock::time_point, TimerId>, std::function<void()>> timers_;
  std::map<TimerId, Clock::time_point> timer_times_;
  TimerId next_timer_ = 1;
  bool stopping_ = false;
};

}  // namespace optimux::source
