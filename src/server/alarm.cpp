#include "server/alarm.hpp"

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

namespace optimux::server {

namespace asio = boost::asio;

void Alarm::ring() {
  rung_ = true;
  if (waiting_) go_on();
}

asio::awaitable<bool> Alarm::wait_until(std::chrono::steady_clock::time_point time) {
  if (!rung_) {
    end_ = time;
    if (!timer_end_ || time < *timer_end_) set_timer(time);
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        [this](Continuation continuation) { waiting_.emplace(std::move(continuation)); }, asio::use_awaitable);
  }
  co_return std::exchange(rung_, false);
}

void Alarm::set_timer(Clock::time_point time) {
  timer_end_ = time;
  timer_.expires_at(time);
  timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](boost::system::error_code error) {
    if (!error && !alive.expired()) go_off();
  });
}

/// A wait that has begun since the timer was set may have a later end.
void Alarm::go_off() {
  timer_end_.reset();
  if (!waiting_) return;
  if (Clock::now() < end_) return set_timer(end_);
  go_on();
}

/// Not at once: whoever rings may be in the middle of something that the connection would change.
void Alarm::go_on() {
  asio::post(context_, [continuation = std::move(*waiting_)]() mutable { continuation(); });
  waiting_.reset();
}

}  // namespace optimux::server
