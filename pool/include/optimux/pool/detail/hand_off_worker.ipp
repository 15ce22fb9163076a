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
  return token_of(slot, slot.worker_stop_);
}

template <class Job, class Sync, class Protocol>
std::stop_token HandOff<Job, Sync, Protocol>::token_of(const Slot& slot, std::stop_source& source) {
  const ScopedLock lock(mutex_);
  if (!source.stop_possible()) {
    source = std::stop_source();
    if (slot.nudged_ || phase_ == Phase::kStopped) source.request_stop();
  }
  return source.get_token();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::detach(Slot& slot) {
  const ScopedLock lock(mutex_);
  settle(slot);
  OPTIMUX_POOL_CHECK(!slot.parked_ && !slot.woken_for_job_ && slot.held_.empty(), "a worker leaves with empty hands");
  slots_[slot.at_] = slots_.back();
  slots_[slot.at_]->at_ = slot.at_;
  slots_.pop_back();
}

template <class Job, class Sync, class Protocol>
Signal HandOff<Job, Sync, Protocol>::take_or_park(Slot& slot, Entry& first, TimePoint now, std::size_t most) {
  Endings endings;
  Wakes woken;
  Signal signal = Signal::kParked;
  {
    const ScopedLock lock(mutex_);
    settle(slot);
    const bool was_woken = slot.woken_for_job_;
    if (was_woken) slot.woken_for_job_ = wake_under_way_ = false;
    signal = look(slot, first, now, most, endings);
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
Signal HandOff<Job, Sync, Protocol>::look(Slot& slot, Entry& first, TimePoint now, std::size_t most, Endings& endings) {
  first = nullptr;
  if (phase_ == Phase::kStopped) return Signal::kStop;
  if constexpr (Protocol::kRetiresTheAsked) {
    if (slot.retire_asked_) return Signal::kRetire;
  } else if (retirements_for_anybody_ > 0) {
    --retirements_for_anybody_;
    return Signal::kRetire;
  }
  first = pop_runnable(slot, now, most, endings);
  if (first != nullptr) return Signal::kJob;
  if constexpr (Protocol::kParksInTheSameStep) park(slot, now);
  return Signal::kParked;
}

template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::pop_runnable(Slot& slot, TimePoint now, std::size_t most, Endings& endings)
    -> Node* {
  Node* first = nullptr;
  while (first == nullptr) {
    if (queue_.empty()) fetch_intake();
    if (queue_.empty()) return nullptr;
    for (std::size_t left = fair_share(most); left > 0 && !queue_.empty();) {
      Node* const node = queue_.pop();
      prefetch(queue_.front());  // for whoever comes next: another CPU has written it
      if (node->entry.cancellation && node->entry.cancellation->token.stop_requested()) {
        push_ending(endings, node, Outcome::kCancelled, now);
      } else if (node->entry.deadline <= now) {
        push_ending(endings, node, Outcome::kExpired, now);
      } else {
        start(slot, node, now);
        if (first == nullptr) first = node;
        --left;
      }
    }
  }
  return first;
}

// Many jobs in one hand are no gain while other hands are empty.
template <class Job, class Sync, class Protocol>
std::size_t HandOff<Job, Sync, Protocol>::fair_share(std::size_t most) const {
  if (most == 1) return 1;
  const std::size_t others = static_cast<std::size_t>(parked()) + (wake_under_way_ ? 1 : 0);
  return std::min(most, (queue_.size() + others) / (others + 1));
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::start(Slot& slot, Node* node, TimePoint now) {
  OPTIMUX_POOL_CHECK(phase_ != Phase::kStopped, "I7: nothing starts after stop");
  if (Cancellation* const cancellation = node->entry.cancellation.get()) cancellation->state = CancelState::kRunning;
  node->entry.started_at = now;
  if (slot.held_.empty()) {
    slot.since_ = now;
    started_at_sum_ += static_cast<std::uint64_t>(now.time_since_epoch().count());
    ++in_flight_;
  }
  slot.held_.push(node);
  ++totals_.counters.started;
  wait_.add(now - node->entry.accepted_at);
  const Duration since = std::clamp(now - last_start_, Duration::zero(), kWorthWaking);
  pace_ = since >= pace_ ? since : pace_ - (pace_ - since) / 16;  // one slow job counts, one fast does not
  last_start_ = now;
}

template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::finish(Slot& slot, Entry node, const RunReport& report, JobEnd&& end) noexcept {
  Record& entry = node->entry;
  entry.job.reset();
  entry.report = report;
  entry.finished = true;
  // With nobody to tell, the worker's next look at the queue does the bookkeeping under the lock that it takes anyway.
  if (!entry.on_end && !entry.cancellation) return false;
  {
    const ScopedLock lock(mutex_);
    if (entry.cancellation) entry.cancellation->state = CancelState::kEnded;
    if (!std::exchange(slot.callback_running_, true)) ++reporting_;
    record(slot, node);
  }
  if (entry.on_end) entry.on_end(std::move(end));
  entry.on_end = nullptr;
  entry.cancellation.reset();
  entry.finished = false;
  entry.deadline = kNever;
  node->next = std::exchange(slot.reported_, node);
  return true;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::settle(Slot& slot) {
  for (Node* node = slot.held_.front(); node != nullptr;) {
    Node* const next = node->next;
    if (node->entry.finished) {
      record(slot, node);
      node->entry.finished = false;
      node->entry.deadline = kNever;
      spare_.push(node);
    }
    node = next;
  }
  while (slot.reported_ != nullptr) spare_.push(std::exchange(slot.reported_, slot.reported_->next));
  if (std::exchange(slot.callback_running_, false)) --reporting_;
  notify_if_quiet();
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::record(Slot& slot, Node* node) {
  const RunReport& report = node->entry.report;
  slot.held_.remove(node);
  if (slot.held_.empty()) {
    started_at_sum_ -= static_cast<std::uint64_t>(slot.since_.time_since_epoch().count());
    --in_flight_;
  }
  count_end(report.outcome);
  ++totals_.run_jobs;
  totals_.run_time += report.occupied;
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
  slot.since_ = now;
  slot.above_ = nullptr;
  slot.below_ = parked_top_;
  (parked_top_ == nullptr ? parked_bottom_ : parked_top_->above_) = &slot;
  parked_top_ = &slot;
  parked_.store(parked() + 1, std::memory_order_relaxed);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::unpark(Slot& slot) {
  (slot.above_ == nullptr ? parked_top_ : slot.above_->below_) = slot.below_;
  (slot.below_ == nullptr ? parked_bottom_ : slot.below_->above_) = slot.above_;
  slot.parked_ = false;
  parked_.store(parked() - 1, std::memory_order_relaxed);
}

template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::next_to_wake() -> Slot* {
  if (parked_top_ == nullptr || wake_under_way_) return nullptr;
  if (queue_.empty() && (told_hungry_ || !fetch_or_hunger())) return nullptr;
  Slot* const slot = parked_top_;
  unpark(*slot);
  slot->woken_for_job_ = wake_under_way_ = true;
  ++totals_.counters.wakes_for_jobs;
  return slot;
}

// Both sides at once: what is in the intake joins the queue, and places go back to where submitters take them from. The
// intake is not hungry afterwards: while it is open, whoever calls this must `keep_progress` before the mutex is free.
template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::pour() {
  queue_.push_all(std::move(intake_.jobs));
  intake_.store.give_back(std::move(spare_));
  intake_.occupied = queue_.size();
  intake_.hungry = told_hungry_ = false;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::fetch_intake() {
  const ScopedLock lock(intake_mutex_);
  pour();
}

// True if there was something to fetch. Otherwise the next submitter will come and feed, and nobody need look before.
template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::fetch_or_hunger() {
  const ScopedLock lock(intake_mutex_);
  const bool found = !intake_.jobs.empty();
  pour();
  intake_.hungry = told_hungry_ = !found;
  return found;
}

}  // namespace optimux::pool
