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
  wake({woken});
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::nudge(Slot& slot) {
  std::vector<std::stop_source> tokens;
  {
    const ScopedLock lock(mutex_);
    slot.nudged_ = true;
    collect_tokens(slot, tokens);
  }
  for (std::stop_source& token : tokens) token.request_stop();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::collect_tokens(const Slot& slot, std::vector<std::stop_source>& tokens) const {
  for (const std::stop_source& source : {slot.worker_stop_, slot.job_stop_}) {
    if (source.stop_possible()) tokens.push_back(source);
  }
  for (const Node* node = slot.held_.front(); node != nullptr; node = node->next) {
    if (node->entry.cancellation) tokens.push_back(node->entry.cancellation->running);
  }
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::close() {
  const ScopedLock lock(mutex_);
  if (phase_ == Phase::kOpen) phase_ = Phase::kDraining;
  close_intake();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::close_intake() {
  {
    const ScopedLock lock(intake_mutex_);
    intake_.open = false;
    pour();
  }
  places_.notify_all();
}

template <class Job, class Sync, class Protocol>
std::size_t HandOff<Job, Sync, Protocol>::wait_quiet(TimePoint deadline) {
  const ScopedLock lock(mutex_);
  for (bool in_time = true; in_time && !quiet();) in_time = Sync::wait_until(quiet_, mutex_, clock_, deadline);
  return queue_.size() + static_cast<std::size_t>(totals_.counters.started - totals_.run_jobs) + reporting_;
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
    close_intake();
    while (!queue_.empty()) push_ending(endings, queue_.pop(), Outcome::kCancelled, now);
    for (const Slot* slot : slots_) collect_tokens(*slot, tokens);
    for (; parked_top_ != nullptr; woken.push_back(parked_bottom_), unpark(*parked_bottom_)) {
    }
    notify_if_quiet();
  }
  for (Slot* slot : woken) wake({slot});
  for (std::stop_source& token : tokens) token.request_stop();
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::expire() {
  Endings endings;
  Wakes woken;
  const TimePoint now = clock_.now();
  {
    const ScopedLock lock(mutex_);
    drop_expired(now, endings);
    woken = keep_progress();
  }
  wake(woken);
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::set_capacity(std::size_t capacity) {
  const ScopedLock lock(mutex_);
  const ScopedLock intake_lock(intake_mutex_);
  capacity_ = intake_.capacity = capacity;
  places_.notify_all();
}

template <class Job, class Sync, class Protocol>
Load HandOff<Job, Sync, Protocol>::load(TimePoint now, Duration overrun_after) const {
  const ScopedLock lock(mutex_);
  Load load = totals_;
  load.idle = parked();
  load.in_flight = in_flight_;
  add_intake(load);
  load.queue_capacity = capacity_;
  load.earliest_deadline = queue_.earliest_deadline();
  if (parked_bottom_ != nullptr) load.longest_idle = std::max(now - parked_bottom_->since_, Duration::zero());
  if (in_flight_ > 0) {
    // Modulo 2^64: the single start times may add up beyond it, the ages of the jobs in flight do not.
    const auto now_count = static_cast<std::uint64_t>(now.time_since_epoch().count());
    const auto ages = static_cast<Duration::rep>(now_count * static_cast<std::uint64_t>(in_flight_) - started_at_sum_);
    load.in_flight_age = std::max(Duration(ages / in_flight_), Duration::zero());
    load.overrunning = static_cast<int>(std::count_if(slots_.begin(), slots_.end(), [&](const Slot* slot) {
      return !slot->held_.empty() && now - slot->since_ > overrun_after;
    }));
  }
  load.wait = wait_.quantiles();
  load.service = service_.quantiles();
  load.draining = phase_ != Phase::kOpen;
  load.stopped = phase_ == Phase::kStopped;
  return load;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::add_intake(Load& load) const {
  const ScopedLock lock(intake_mutex_);
  load.queue_depth = queue_.size() + intake_.jobs.size();
  load.counters.accepted = intake_.accepted;
  load.counters.found_nobody_idle = intake_.found_nobody_idle;
  load.counters.refused_full = intake_.refused_full;
  load.counters.refused_stopped = intake_.refused_stopped;
  load.counters.refused_deadline = intake_.refused_deadline;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::rotate_quantiles() {
  const ScopedLock lock(mutex_);
  wait_.rotate();
  service_.rotate();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::hear_submits(bool wanted) {
  const ScopedLock intake_lock(intake_mutex_);
  intake_.hears_submits = wanted;
}

template <class Job, class Sync, class Protocol>
TimePoint HandOff<Job, Sync, Protocol>::plan_control(TimePoint next) {
  const ScopedLock lock(mutex_);
  control_looks_at_ = std::min(next, queue_.earliest_deadline());
  return control_looks_at_;
}

}  // namespace optimux::pool
