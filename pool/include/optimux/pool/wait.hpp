/// \file
/// What a coroutine can wait for on an event loop: time, and descriptors that can be read or written.
#pragma once

#include "optimux/pool/detail/loop_thread.hpp"

#include <coroutine>
#include <optional>
#include <stop_token>

namespace optimux::pool {

/// How a wait for a descriptor ended.
enum class Waited : std::uint8_t {
  kReady,      ///< It can be read or written, or would fail at once: the other end has gone, or there is an error.
  kTimeout,    ///< The deadline came first.
  kCancelled,  ///< The stop token fired or the loop stops.
  kFailed,     ///< It cannot be watched: not open, a regular file, or another coroutine waits for the same.
};

/// The plainest wait: until a moment. Awaiting it gives true when the moment has come, false when the loop stops
/// before.
class Sleep : public Timer {
 public:
  /// Made by `EventLoop::sleep_until`.
  Sleep(detail::LoopThread& thread, TimePoint until) : Timer(until), thread_(thread) {}
  /// Always waits for a turn of the loop.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// Sets the timer; `waiter` goes on when it fires.
  void await_suspend(std::coroutine_handle<> waiter);
  /// True when the moment has come.
  bool await_resume() const noexcept { return slept_; }

 private:
  static void arm(Posted& posted);
  static void end(Posted& posted);
  detail::LoopThread& thread_;
  std::coroutine_handle<> waiter_;
  bool slept_ = false;
};

namespace detail {

/// Awaiting it goes on on a loop thread.
struct Hop : Posted {
  explicit Hop(LoopThread& to) : Posted(&Hop::arrive), thread(to) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) {
    waiter = coroutine;
    thread.post(*this);
  }
  void await_resume() const noexcept {}
  static void arrive(Posted& posted) { static_cast<Hop&>(posted).waiter.resume(); }
  LoopThread& thread;
  std::coroutine_handle<> waiter;
};

/// A wait that several things can end: a moment, a descriptor, a stop token. It ends once, on the loop's thread.
class Wait : public Timer {
 public:
  enum class Direction : std::uint8_t { kNone, kRead, kWrite };
  Wait(LoopThread& thread, int descriptor, Direction direction, TimePoint deadline, std::stop_token stop)
      : Timer(deadline),
        thread_(thread),
        stop_(std::move(stop)),
        cancel_(*this),
        descriptor_(descriptor),
        direction_(direction) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter);

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] Direction direction() const { return direction_; }
  /// The first to call it says how the wait ends. On the loop's thread.
  void settle(Waited end);

 protected:
  [[nodiscard]] Waited end() const { return end_; }

 private:
  enum class Token : std::uint8_t { kQuiet, kFired, kTooLate };
  struct Cancel : Posted {
    explicit Cancel(Wait& owner) : wait(owner) {}
    Wait& wait;
  };
  struct OnStop {
    Wait* wait;
    void operator()() const noexcept { wait->token_fired(); }
  };

  static void begin(Posted& posted);
  static void finish(Posted& posted);
  static void cancelled(Posted& posted);
  void token_fired() noexcept;
  void resume();
  // Its timer has been moved from the wheel to what is to be run, or `settle` has put it there.
  [[nodiscard]] bool is_ending() const { return settled_ || (begun_ && when() != kNever && !is_set()); }

  LoopThread& thread_;
  std::coroutine_handle<> waiter_;
  std::stop_token stop_;
  std::optional<std::stop_callback<OnStop>> callback_;
  Cancel cancel_;
  const int descriptor_;
  const Direction direction_;
  Waited end_ = Waited::kTimeout;
  std::atomic<Token> token_{Token::kQuiet};
  bool begun_ = false;
  bool watched_ = false;
  bool settled_ = false;
  bool cancel_seen_ = false;  // cancel_ has been run
  bool finish_seen_ = false;  // this has been run, but cancel_ is still to come
};

}  // namespace detail

/// A wait until a moment that a stop token can cut short. Awaiting it gives true when the moment has come, false when
/// the token fired or the loop stops before.
class StoppableSleep : public detail::Wait {
 public:
  using Wait::Wait;
  /// True when the moment has come.
  bool await_resume() const noexcept { return end() == Waited::kTimeout; }
};

/// A wait for a descriptor. Awaiting it gives a `Waited`.
class Readiness : public detail::Wait {
 public:
  using Wait::Wait;
  /// How the wait ended.
  Waited await_resume() const noexcept { return end(); }
};

}  // namespace optimux::pool
