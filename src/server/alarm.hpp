#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace optimux::server {

/// The one thing that a connection's coroutine waits for: somebody rings, or the time is over. Rings are remembered
/// until the next wait, and several are one; so whoever waits looks again at everything that could have happened.
/// Loop's thread only.
///
/// Most waits end long before their time and are followed by one that may last longer. So the timer is not set for
/// each: it stays as it is while it goes off early enough, and looks then whether anybody's time is over.
class Alarm {
 public:
  explicit Alarm(boost::asio::io_context& context) : context_(context), timer_(context) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  void ring();

  /// True if somebody has rung, false if `time` came first. One wait at a time.
  boost::asio::awaitable<bool> wait_until(std::chrono::steady_clock::time_point time);

 private:
  using Clock = std::chrono::steady_clock;
  using Continuation = boost::asio::async_result<boost::asio::use_awaitable_t<>, void()>::handler_type;

  void set_timer(Clock::time_point time);
  void go_off();
  void go_on();

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::optional<Clock::time_point> timer_end_;  ///< When the timer goes off, if it is set.
  Clock::time_point end_;                       ///< Of the wait that is under way.
  std::optional<Continuation> waiting_;         ///< What goes on when it ends.
  bool rung_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< For what the loop has in hand.
};

}  // namespace optimux::server
