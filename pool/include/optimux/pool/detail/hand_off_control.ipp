// The control side of HandOff: retirement, drain and stop, figures. Included by hand_off.hpp.
#pragma once

#include "optimux/pool/hand_off.hpp"

namespace optimux::pool {

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::ask_retire(Slot& slot) {
  Slot* woken = nullptr;
  {
    const ScopedLock lock(mutex_);
    if constexpr (Protocol::kRetiresTheAsked) {
      slot.retire_asked_ = true;
      if (slot.parked_) woken = &slot;
    } else {
      ++retirements_for_anybody_;
      woken = parked_top_;
    }
    if (woken != nullptr) unpark(*woken);
  }
  wake(woken);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::nudge(Slot& slot) {
  std::stop_source worker(std::nostopstate);
  std::stop_source job(std::nostopstate);
  {
    const ScopedLock lock(mutex_);
    slot.nudged_ = true;
    slot.job_stop_shared_ = true;
    worker = slot.worker_stop_;
    job = slot.job_stop_;
  }
  worker.request_stop();
  job.request_stop();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::close() {
  const ScopedLock lock(mutex_);
  if (phase_ == Phase::kOpen) phase_ = Phase::kDraining;
  places_.notify_all();
}

template <class Job, class Sync, class Protocol>
std::size_t HandOff<Job, Sync, Protocol>::wait_quiet(TimePoint deadline) {
  const ScopedLock lock(mutex_);
  for (bool in_time = true; in_time && !quiet();) in_time = Sync::wait_until(quiet_, mutex_, clock_, deadline);
  return queue_.size() + static_cast<std::size_t>(in_flight_) + reporting_;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::stop() {
  Endings endings;
  std::vector<std::stop_source> tokens;
  std::vector<Slot*> woken;
  const TimePoint now = clock_.now();
  {
    const ScopedLock lock(mutex_);
    phase_ = Phase::kStopped;
    places_.notify_all();
    while (!queue_.empty()) push_ending(endings, queue_.pop(), Outcome::kCancelled, now);
    for (Slot* slot : slots_) {
      slot->job_stop_shared_ = true;
      if (slot->worker_stop_.stop_possible()) tokens.push_back(slot->worker_stop_);
      if (slot->job_stop_.stop_possible()) tokens.push_back(slot->job_stop_);
    }
    for (; parked_top_ != nullptr; woken.push_back(parked_bottom_), unpark(*parked_bottom_)) {
    }
    notify_if_quiet();
  }
  for (Slot* slot : woken) wake(slot);
  for (std::stop_source& token : tokens) token.request_stop();
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::expire() {
  Endings endings;
  const TimePoint now = clock_.now();
  {
    const ScopedLock lock(mutex_);
    drop_expired(now, endings);
  }
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::set_capacity(std::size_t capacity) {
  const ScopedLock lock(mutex_);
  capacity_ = capacity;
  places_.notify_all();
}

template <class Job, class Sync, class Protocol>
Load HandOff<Job, Sync, Protocol>::load(TimePoint now, Duration overrun_after) const {
  const ScopedLock lock(mutex_);
  Load load = totals_;
  load.idle = parked_;
  load.in_flight = in_flight_;
  load.queue_depth = queue_.size();
  load.queue_capacity = capacity_;
  load.earliest_deadline = queue_.earliest_deadline();
  if (parked_bottom_ != nullptr) load.longest_idle = std::max(now - parked_bottom_->parked_since_, Duration::zero());
  if (in_flight_ > 0) {
    // Modulo 2^64: the single start times may add up beyond it, the ages of the jobs in flight do not.
    const auto now_count = static_cast<std::uint64_t>(now.time_since_epoch().count());
    const auto ages = static_cast<Duration::rep>(now_count * static_cast<std::uint64_t>(in_flight_) - started_at_sum_);
    load.in_flight_age = std::max(Duration(ages / in_flight_), Duration::zero());
    load.overrunning = static_cast<int>(std::count_if(slots_.begin(), slots_.end(), [&](const Slot* slot) {
      return slot->running_ && now - slot->started_at_ > overrun_after;
    }));
  }
  load.wait = wait_.quantiles();
  load.service = service_.quantiles();
  load.draining = phase_ != Phase::kOpen;
  load.stopped = phase_ == Phase::kStopped;
  return load;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::rotate_quantiles() {
  const ScopedLock lock(mutex_);
  wait_.rotate();
  service_.rotate();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::plan_control(TimePoint next, bool hears_submits) {
  const ScopedLock lock(mutex_);
  control_looks_at_ = std::min(next, queue_.earliest_deadline());
  hears_submits_ = hears_submits;
}

}  // namespace optimux::pool
