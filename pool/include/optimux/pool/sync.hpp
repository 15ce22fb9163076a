/// \file
/// What the hand-off is built on, gathered as parameters, so that tests can put a deterministic scheduler underneath
/// and can put known mistakes back in.
#pragma once

#include "optimux/pool/clock.hpp"
#include "optimux/pool/mutex.hpp"
#include "optimux/pool/parker.hpp"

#include <stop_token>

namespace optimux::pool {

/// The primitives of the operating system.
struct StandardSync {
  /// Guards the queue.
  using Mutex = pool::Mutex;
  /// Where submitters wait for a place, and `drain` for the end.
  using Condition = pool::Condition;
  /// Where a worker rests: `wake` ends the rest of exactly that worker. `wait` is for those who rest in `take`.
  using Parker = pool::Parker;
  /// A parked worker keeps the state of its stop token for its next job. Otherwise it is freed: memory before speed.
  static constexpr bool kKeepsStopState = true;
  /// Called when a stop token fires.
  template <class Callback>
  using StopCallback = std::stop_callback<Callback>;

  /// Waits as `Clock::wait_until` does.
  static bool wait_until(Condition& condition, Mutex& mutex, Clock& clock, TimePoint deadline)
      OPTIMUX_POOL_REQUIRES(mutex) {
    return clock.wait_until(condition, mutex, deadline);
  }
};

/// The rules whose absence is a known mistake of pools. They hold everywhere but in the tests which prove that the
/// search through interleavings notices when one is missing.
struct StandardProtocol {
  /// A worker finds the queue empty and joins the parked ones under one lock. Otherwise a job that is submitted between
  /// the two wakes nobody: the lost wake-up.
  static constexpr bool kParksInTheSameStep = true;
  /// A worker that was woken for a job, but leaves, wakes the next one. Otherwise the job waits beside idle workers.
  static constexpr bool kPassesWakeOn = true;
  /// A retirement is addressed to one worker. Otherwise whoever looks first leaves, not the newest.
  static constexpr bool kRetiresTheAsked = true;
  /// A slot is given back when its worker has left. Otherwise, when given back at the end of the grace, more workers
  /// than the cap can be at work.
  static constexpr bool kFreesOnExitOnly = true;
};

}  // namespace optimux::pool
