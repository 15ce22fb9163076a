#include "optimux/pool/wait.hpp"

#include "optimux/pool/detail/check.hpp"

namespace optimux::pool {

void Sleep::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  run = &Sleep::arm;
  if (thread_.is_current()) {
    arm(*this);
  } else {
    thread_.post(*this);
  }
}

void Sleep::arm(Posted& posted) {
  auto& sleep = static_cast<Sleep&>(posted);
  sleep.run = &Sleep::end;
  sleep.thread_.start(sleep, sleep.when());
}

void Sleep::end(Posted& posted) {
  auto& sleep = static_cast<Sleep&>(posted);
  sleep.slept_ = sleep.thread_.turn_time() >= sleep.when();
  sleep.waiter_.resume();
}

namespace detail {

// The callback first: once the wait has begun on another thread, it may have ended before this one comes back.
void Wait::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  run = &Wait::begin;
  cancel_.run = &Wait::cancelled;
  if (stop_.stop_possible()) callback_.emplace(stop_, OnStop{this});
  if (thread_.is_current()) {
    begin(*this);
  } else {
    thread_.post(*this);
  }
}

void Wait::begin(Posted& posted) {
  auto& wait = static_cast<Wait&>(posted);
  wait.run = &Wait::finish;
  if (wait.cancel_seen_) return wait.settle(Waited::kCancelled);
  if (wait.direction_ != Direction::kNone) {
    wait.watched_ = wait.thread_.watch(wait);
    if (!wait.watched_) return wait.settle(Waited::kFailed);
  }
  wait.begun_ = true;
  if (wait.when() != kNever) return wait.thread_.start(wait, wait.when());
  if (wait.thread_.loop().stopping.load()) wait.settle(Waited::kCancelled);
}

// A wait whose timer is among what is to be run comes to its end by that: it must not be put there twice.
void Wait::settle(Waited end) {
  if (is_ending()) return;
  settled_ = true;
  end_ = end;
  thread_.cancel(*this);
  thread_.ready(*this);
}

void Wait::finish(Posted& posted) {
  auto& wait = static_cast<Wait&>(posted);
  if (!wait.settled_) {
    wait.settled_ = true;
    wait.end_ = wait.thread_.turn_time() >= wait.when() ? Waited::kTimeout : Waited::kCancelled;
  }
  if (wait.watched_) wait.thread_.unwatch(wait, wait.end_ == Waited::kReady);
  // Whoever comes second of the two, this or the cancellation that has been posted, lets the coroutine go on.
  const bool token_fired = wait.callback_ && wait.token_.exchange(Token::kTooLate) == Token::kFired;
  if (token_fired && !wait.cancel_seen_) {
    wait.finish_seen_ = true;
  } else {
    wait.resume();
  }
}

void Wait::cancelled(Posted& posted) {
  Wait& wait = static_cast<Cancel&>(posted).wait;
  wait.cancel_seen_ = true;
  if (wait.finish_seen_) return wait.resume();
  if (wait.begun_) wait.settle(Waited::kCancelled);
}

// On the thread that fires the token.
void Wait::token_fired() noexcept {
  Token quiet = Token::kQuiet;
  if (token_.compare_exchange_strong(quiet, Token::kFired)) thread_.post(cancel_);
}

void Wait::resume() {
  callback_.reset();  // waits for `token_fired`, should another thread still be in it
  waiter_.resume();
}

}  // namespace detail
}  // namespace optimux::pool
