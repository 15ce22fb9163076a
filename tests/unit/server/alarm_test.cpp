#include "server/alarm.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace optimux::server {
namespace {

using std::chrono::steady_clock;

/// A coroutine that waits for an alarm until each of `ends`, one after another, and notes what the waits gave.
class Waits {
 public:
  explicit Waits(std::vector<steady_clock::time_point> ends) {
    boost::asio::co_spawn(context_, wait(std::move(ends)), boost::asio::detached);
    go_on();
  }

  Alarm& alarm() { return alarm_; }
  /// Runs what is ready.
  void go_on() {
    context_.restart();
    context_.poll();
  }
  /// Runs until `count` waits have ended.
  void go_on_until(std::size_t count) {
    context_.restart();
    while (given_.size() < count && context_.run_one() > 0) continue;
  }
  const std::vector<bool>& given() const { return given_; }

 private:
  boost::asio::awaitable<void> wait(std::vector<steady_clock::time_point> ends) {
    for (const auto end : ends) {
      const bool rung = co_await alarm_.wait_until(end);
      given_.push_back(rung);
    }
  }

  boost::asio::io_context context_;
  Alarm alarm_{context_};
  std::vector<bool> given_;
};

const auto kPast = steady_clock::now();
const auto kNever = kPast + std::chrono::hours(24);

TEST(Alarm, TellsARingFromTheEndOfItsTime) {
  Waits waits({kNever, kPast, kNever});
  EXPECT_EQ(waits.given(), std::vector<bool>{});
  waits.alarm().ring();
  waits.go_on_until(2);
  EXPECT_EQ(waits.given(), (std::vector<bool>{true, false}));
  waits.alarm().ring();
  waits.go_on();
  EXPECT_EQ(waits.given(), (std::vector<bool>{true, false, true}));
}

TEST(Alarm, RingsBeforeAWaitAreOne) {
  Waits waits({kNever, kNever, kNever});
  waits.alarm().ring();
  waits.alarm().ring();
  waits.go_on();
  EXPECT_EQ(waits.given(), std::vector<bool>{true});
  waits.alarm().ring();
  waits.go_on();
  EXPECT_EQ(waits.given(), (std::vector<bool>{true, true}));
  waits.alarm().ring();
  waits.go_on();
}

TEST(Alarm, ATimerOfAnEarlierWaitEndsNoLaterOne) {
  const auto soon = steady_clock::now() + std::chrono::milliseconds(1);
  Waits waits({soon, kNever});
  waits.alarm().ring();
  waits.go_on();
  ASSERT_EQ(waits.given().size(), 1u);
  while (steady_clock::now() <= soon) continue;
  for (int i = 0; i < 3; ++i) waits.go_on();
  EXPECT_EQ(waits.given().size(), 1u);
  waits.alarm().ring();
  waits.go_on();
  EXPECT_EQ(waits.given().size(), 2u);
  EXPECT_TRUE(waits.given().back());
}

}  // namespace
}  // namespace optimux::server
