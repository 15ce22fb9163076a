// The worker's side of HandOff: looking for work, parking, finishing. Included by hand_off.hpp.
#pragma once

#include "optimux/pool/hand_off.hpp"

namespace optimux::pool {

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::attach(Slot& slot) {
  const ScopedLock lock(mutex_);
  slot.at_ = static_cast<std::uint32_t>(slots_.size());
  slots_.push_back(&slot);
}

template <class Job, class Sync, class Protocol>
std::stop_token HandOff<Job, Sync, Protocol>::worker_token(Slot& slot) {
  const ScopedLock lock(mutex_);
  if (!slot.worker_stop_.stop_possible()) {
    slot.worker_stop_ = std::stop_source();
    if (slot.nudged_ || phase_ == Phase::kStopped) slot.worker_stop_.request_stop();
  }
  return slot.worker_stop_.get_token();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::detach(Slot& slot) {
  const ScopedLock lock(mutex_);
  settle(slot);
  OPTIMUX_POOL_CHECK(!slot.parked_ && !slot.woken_for_job_ && !slot.running_, "a worker leaves with empty hands");
  slots_[slot.at_] = slots_.back();
  slots_[slot.at_]->at_ = slot.at_;
  slots_.pop_back();
}

template <class Job, class Sync, class Protocol>
Signal HandOff<Job, Sync, Protocol>::take_or_park(Slot& slot, Entry& entry, TimePoint now) {
  Endings endings;
  Slot* woken = nullptr;
  Signal signal = Signal::kParked;
  {
    const ScopedLock lock(mutex_);
    settle(slot);
    const bool was_woken = slot.woken_for_job_;
    if (was_woken) slot.woken_for_job_ = wake_under_way_ = false;
    signal = look(slot, entry, now, endings);
    if (was_woken && signal == Signal::kParked) ++totals_.counters.lost_races;
    if (signal == Signal::kJob || Protocol::kPassesWakeOn) woken = keep_progress();
  }
  if constexpr (!Protocol::kParksInTheSameStep) {
    const ScopedLock lock(mutex_);
    if (signal == Signal::kParked) park(slot, now);
  }
  wake(woken);
  report(endings);
  return signal;
}

template <class Job, class Sync, class Protocol>
Signal HandOff<Job, Sync, Protocol>::look(Slot& slot, Entry& entry, TimePoint now, Endings& endings) {
  if (phase_ == Phase::kStopped) return Signal::kStop;
  if constexpr (Protocol::kRetiresTheAsked) {
    if (slot.retire_asked_) return Signal::kRetire;
  } else if (retirements_for_anybody_ > 0) {
    --retirements_for_anybody_;
    return Signal::kRetire;
  }
  if (pop_runnable(slot, entry, now, endings)) return Signal::kJob;
  if constexpr (Protocol::kParksInTheSameStep) park(slot, now);
  return Signal::kParked;
}

template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::pop_runnable(Slot& slot, Entry& entry, TimePoint now, Endings& endings) {
  while (!queue_.empty()) {
    entry = queue_.pop();
    place_freed();
    if (entry.cancellation && entry.cancellation->token.stop_requested()) {
      push_ending(endings, std::move(entry), Outcome::kCancelled, now);
    } else if (entry.deadline <= now) {
      push_ending(endings, std::move(entry), Outcome::kExpired, now);
    } else {
      start(slot, entry, now);
      return true;
    }
  }
  return false;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::start(Slot& slot, Entry& entry, TimePoint now) {
  OPTIMUX_POOL_CHECK(phase_ != Phase::kStopped, "I7: nothing starts after stop");
  OPTIMUX_POOL_CHECK(!slot.running_, "a worker runs one job at a time");
  if (std::exchange(slot.job_stop_shared_, false) || !slot.job_stop_.stop_possible()) {
    slot.job_stop_ = std::stop_source();
  }
  if (entry.cancellation) {
    entry.cancellation->state = CancelState::kRunning;
    entry.cancellation->runner = &slot;
  }
  slot.running_ = true;
  slot.started_at_ = now;
  started_at_sum_ += static_cast<std::uint64_t>(now.time_since_epoch().count());
  ++in_flight_;
  ++totals_.counters.started;
  wait_.add(now - entry.accepted_at);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::finish(Slot& slot, Entry& entry, const RunReport& report, JobEnd&& end) noexcept {
  entry.job.reset();
  slot.report_ = report;
  slot.report_pending_ = true;
  // With nobody to tell, the worker's next look at the queue does the bookkeeping under the lock that it takes anyway.
  if (!entry.on_end && !entry.cancellation) return;
  {
    const ScopedLock lock(mutex_);
    if (entry.cancellation) entry.cancellation->state = CancelState::kEnded;
    ++reporting_;
    settle(slot);
    slot.callback_running_ = true;
  }
  if (entry.on_end) entry.on_end(std::move(end));
  entry.on_end = nullptr;
  entry.cancellation.reset();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::settle(Slot& slot) {
  if (std::exchange(slot.report_pending_, false)) record(slot, slot.report_);
  if (std::exchange(slot.callback_running_, false)) --reporting_;
  notify_if_quiet();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::record(Slot& slot, const RunReport& report) {
  OPTIMUX_POOL_CHECK(slot.running_, "I4: a job ends once");
  slot.running_ = false;
  started_at_sum_ -= static_cast<std::uint64_t>(slot.started_at_.time_since_epoch().count());
  --in_flight_;
  count_end(report.outcome);
  ++totals_.run_jobs;
  totals_.run_time += report.ran;
  totals_.cpu_jobs += report.cpu_jobs;
  totals_.cpu_time += report.cpu;
  service_.add(report.ran);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::count_end(Outcome outcome) {
  Counters& counters = totals_.counters;
  switch (outcome) {
    case Outcome::kDone: ++counters.done; break;
    case Outcome::kFailed: ++counters.failed; break;
    case Outcome::kCancelled: ++counters.cancelled; break;
    case Outcome::kExpired: ++counters.expired; break;
  }
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::park(Slot& slot, TimePoint now) {
  if constexpr (!Sync::kKeepsStopState) slot.job_stop_ = std::stop_source(std::nostopstate);
  slot.parked_ = true;
  slot.parked_since_ = now;
  slot.above_ = nullptr;
  slot.below_ = parked_top_;
  (parked_top_ == nullptr ? parked_bottom_ : parked_top_->above_) = &slot;
  parked_top_ = &slot;
  ++parked_;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::unpark(Slot& slot) {
  (slot.above_ == nullptr ? parked_top_ : slot.above_->below_) = slot.below_;
  (slot.below_ == nullptr ? parked_bottom_ : slot.below_->above_) = slot.above_;
  slot.parked_ = false;
  --parked_;
}

template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::keep_progress() -> Slot* {
  if (queue_.empty() || wake_under_way_ || parked_top_ == nullptr) return nullptr;
  Slot* const slot = parked_top_;
  unpark(*slot);
  slot->woken_for_job_ = wake_under_way_ = true;
  ++totals_.counters.wakes_for_jobs;
  return slot;
}

}  // namespace optimux::pool
