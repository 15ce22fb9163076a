/// \file
/// The primitives of the hand-off on top of the deterministic scheduler.
#pragma once

#include "interleaving/explorer.hpp"
#include "optimux/pool/clock.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <stop_token>
#include <vector>

namespace optimux::pool::testing {

/// A mutex; taking it is a point where others may run.
class OPTIMUX_POOL_CAPABILITY("mutex") ModelMutex {
 public:
  void lock() OPTIMUX_POOL_ACQUIRE() {
    Explorer::current().point();
    take();
  }
  void unlock() OPTIMUX_POOL_RELEASE() { locked_ = false; }

 private:
  friend class ModelCondition;
  void take() {
    while (locked_) Explorer::current().block([this] { return !locked_; });
    locked_ = true;
  }
  bool locked_ = false;
};

/// A permit for one sleeper. Waking it twice is a mistake of the hand-off.
class ModelParker {
 public:
  void wait() {
    Explorer::current().point();
    while (!permit_) Explorer::current().block([this] { return permit_; });
    permit_ = false;
  }
  void wake() {
    Explorer::current().point();
    Explorer::current().require(!permit_, "a worker is woken twice for one wait");
    permit_ = true;
  }

 private:
  bool permit_ = false;
};

/// A condition variable whose time-outs come whenever the search says so.
class ModelCondition {
 public:
  bool wait(ModelMutex& mutex, bool may_time_out) OPTIMUX_POOL_NO_ANALYSIS {
    const std::size_t self = Explorer::current().running();
    waiting_.insert(self);
    mutex.unlock();
    const bool notified = Explorer::current().block([this, self] { return waiting_.count(self) == 0; }, may_time_out);
    waiting_.erase(self);
    mutex.take();
    return notified;
  }
  void notify_one() {
    if (!waiting_.empty()) waiting_.erase(waiting_.begin());
  }
  void notify_all() { waiting_.clear(); }

 private:
  std::set<std::size_t> waiting_;
};

/// Stop callbacks with the rules of `std::stop_callback` (the destructor waits for a call in another task, not for one
/// in its own), which the fibers, all on one thread, could not get from the standard one.
class StopCallbackList {
 public:
  struct Entry {
    std::stop_token token;
    std::function<void()> call;
    bool* destroyed = nullptr;
    std::size_t caller = 0;
    bool running = false;
  };
  static std::vector<Entry*>& entries() {
    static thread_local std::vector<Entry*> list;
    return list;
  }
  /// What `std::stop_source::request_stop` does, but calling the model's callbacks.
  static void request_stop(std::stop_source source) {
    Explorer::current().point();
    if (!source.request_stop()) return;
    for (;;) {
      auto& list = entries();
      const auto next = std::find_if(list.begin(), list.end(),
                                     [&](const Entry* entry) { return entry->token == source.get_token(); });
      if (next == list.end()) return;
      Entry* const entry = *next;
      list.erase(next);
      bool destroyed = false;
      entry->destroyed = &destroyed;
      entry->caller = Explorer::current().running();
      entry->running = true;
      const auto call = entry->call;
      call();
      if (!destroyed) entry->running = false;
    }
  }
};

template <class Callback>
class ModelStopCallback {
 public:
  ModelStopCallback(const std::stop_token& token, Callback callback) {
    entry_.token = token;
    entry_.call = callback;
    if (token.stop_requested()) {
      callback();
    } else {
      StopCallbackList::entries().push_back(&entry_);
    }
  }
  ModelStopCallback(const ModelStopCallback&) = delete;
  ModelStopCallback& operator=(const ModelStopCallback&) = delete;
  ~ModelStopCallback() {
    auto& list = StopCallbackList::entries();
    list.erase(std::remove(list.begin(), list.end(), &entry_), list.end());
    if (!entry_.running) return;
    if (entry_.caller == Explorer::current().running()) {
      *entry_.destroyed = true;
    } else {
      Explorer::current().block([this] { return !entry_.running; });
    }
  }

 private:
  StopCallbackList::Entry entry_;
};

/// The time, which the search leaves alone: time-outs come when it says so.
class ModelClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  bool wait_until(Condition& /*condition*/, Mutex& /*mutex*/, TimePoint /*deadline*/) override { return false; }
  void advance(Duration step) { now_ += step; }

 private:
  TimePoint now_ = TimePoint{} + std::chrono::hours(1);
};

/// Puts the model under `HandOff`.
struct ModelSync {
  using Mutex = ModelMutex;
  using Condition = ModelCondition;
  using Parker = ModelParker;
  static constexpr bool kKeepsStopState = true;
  template <class Callback>
  using StopCallback = ModelStopCallback<Callback>;

  static bool wait_until(Condition& condition, Mutex& mutex, Clock& /*clock*/, TimePoint deadline)
      OPTIMUX_POOL_REQUIRES(mutex) {
    return condition.wait(mutex, deadline != kNever);
  }
};

}  // namespace optimux::pool::testing
