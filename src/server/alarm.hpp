#pragma once

#include <chrono>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace optimux::server {

/// The one thing that a connection's coroutine waits for: somebody rings, or the time is over. Rings are remembered
/// until the next wait, and several are one; so whoever waits looks again at everything that could have happened.
/// Loop's thread only.
class Alarm {
 public:
  explicit Alarm(boost::asio::io_context& context) : timer_(context) {}

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  /// True if somebody has rung, false if `time` came first.
  boost::asio::awaitable<bool> wait_until(std::chrono::steady_clock::time_point time) {
    if (!rung_) {
      timer_.expires_at(time);
      co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    co_return std::exchange(rung_, false);
  }

 private:
  boost::asio::steady_timer timer_;
  bool rung_ = false;
};

}  // namespace optimux::server
