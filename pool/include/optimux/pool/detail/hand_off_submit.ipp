// The submitter's side of HandOff: acceptance and cancellation. Included by hand_off.hpp.
#pragma once

#include "optimux/pool/hand_off.hpp"

namespace optimux::pool {

template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::watch(const std::stop_token& token) -> std::unique_ptr<Cancellation> {
  if (!token.stop_possible()) return nullptr;
  auto cancellation = std::make_unique<Cancellation>(token);
  // Before the job is queued: afterwards a worker could already have ended it.
  cancellation->callback.emplace(token, OnCancel{this, cancellation.get()});
  return cancellation;
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::try_submit(Job&& job, JobOptions&& options) {
  const TimePoint now = clock_.now();
  if (is_plain(options)) {
    if (const std::optional<Admission> admission = submit_plain(job, options.on_end, now)) return *admission;
  }
  std::unique_ptr<Cancellation> cancellation = watch(options.stop);
  const Admission admission = admit_one(job, options, cancellation, now);
  count_refusal(admission.answer);
  return admission;
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::submit(Job&& job, JobOptions&& options, TimePoint wait_until) {
  const TimePoint until = std::min(wait_until, options.deadline);
  const bool plain = is_plain(options);
  std::unique_ptr<Cancellation> cancellation = watch(options.stop);
  bool is_patient = true;
  bool has_waited = false;
  for (bool may_wait = true;; may_wait = wait_for_place(until, cancellation.get(), is_patient), has_waited = true) {
    const TimePoint now = clock_.now();
    if (plain) {
      if (const std::optional<Admission> admission = submit_plain(job, options.on_end, now)) {
        if (has_waited) pass_places_on();
        return *admission;
      }
    }
    Admission admission = admit_one(job, options, cancellation, now);
    if (admission.answer == Answer::kFull && may_wait) continue;
    if (admission.answer == Answer::kFull) admission.answer = Answer::kDeadline;
    count_refusal(admission.answer);
    return admission;
  }
}

template <class Job, class Sync, class Protocol>
std::pair<BatchAnswer, Admission> HandOff<Job, Sync, Protocol>::submit_batch(std::span<Job> jobs,
                                                                             std::span<JobOptions> options) {
  const TimePoint now = clock_.now();
  BatchAnswer answer;
  Admission sum = submit_plain(jobs, options, now, answer);
  if (answer.answer != Answer::kAccepted || answer.accepted == jobs.size()) return {answer, sum};
  std::vector<std::unique_ptr<Cancellation>> cancellations(jobs.size());
  for (std::size_t i = answer.accepted; i < options.size(); ++i) cancellations[i] = watch(options[i].stop);
  admit_and_wake([&](Endings& endings) OPTIMUX_POOL_REQUIRES(mutex_) {
    while (answer.accepted < jobs.size()) {
      const std::size_t i = answer.accepted;
      JobOptions none;
      const Admission one = admit(jobs[i], options.empty() ? none : options[i], cancellations[i], now, endings);
      answer.answer = one.answer;
      sum.is_urgent |= one.is_urgent;
      sum.wants_growth |= one.wants_growth;
      if (one.answer != Answer::kAccepted) break;
      ++answer.accepted;
    }
  });
  count_refusal(answer.answer);
  return {answer, sum};
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::admit_one(Job& job, JobOptions& options,
                                                  std::unique_ptr<Cancellation>& cancellation, TimePoint now) {
  Admission admission;
  admit_and_wake([&](Endings& endings)
                     OPTIMUX_POOL_REQUIRES(mutex_) { admission = admit(job, options, cancellation, now, endings); });
  return admission;
}

// What `admit` throws (a job that cannot be moved, no memory) comes out when nobody is left asleep by it.
template <class Job, class Sync, class Protocol>
template <class Admit>
void HandOff<Job, Sync, Protocol>::admit_and_wake(Admit&& admit) {
  Endings endings;
  Wakes woken;
  std::exception_ptr error;
  {
    const ScopedLock lock(mutex_);
    try {
      admit(endings);
    } catch (...) {
      error = std::current_exception();
    }
    woken = keep_progress();
  }
  wake(woken);
  report(endings);
  if (error) std::rethrow_exception(error);
}

// Empty if the queue may be full, which only the other mutex can tell.
template <class Job, class Sync, class Protocol>
std::optional<Admission> HandOff<Job, Sync, Protocol>::submit_plain(Job& job, OnEnd& on_end, TimePoint now) {
  Admission admission;
  bool feeds = false;
  {
    const ScopedLock lock(intake_mutex_);
    if (!put_in(job, on_end, now, admission)) return std::nullopt;
    feeds = admission.answer == Answer::kAccepted && std::exchange(intake_.hungry, false);
  }
  if (feeds) feed();
  return admission;
}

// The jobs at the beginning of a batch that need nothing but a place.
template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::submit_plain(std::span<Job> jobs, std::span<JobOptions> options, TimePoint now,
                                                     BatchAnswer& answer) {
  Admission sum;
  bool feeds = false;
  std::exception_ptr error;
  {
    const ScopedLock lock(intake_mutex_);
    try {
      put_all_in(jobs, options, now, answer, sum);
    } catch (...) {
      error = std::current_exception();
    }
    feeds = answer.accepted > 0 && std::exchange(intake_.hungry, false);
  }
  if (feeds) feed();
  if (error) std::rethrow_exception(error);
  return sum;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::put_all_in(std::span<Job> jobs, std::span<JobOptions> options, TimePoint now,
                                              BatchAnswer& answer, Admission& sum) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    OnEnd nobody;
    Admission one;
    if (!options.empty() && !is_plain(options[i])) return;
    if (!put_in(jobs[i], options.empty() ? nobody : options[i].on_end, now, one)) return;
    answer.answer = one.answer;
    sum.wants_growth |= one.wants_growth;
    if (one.answer != Answer::kAccepted) return;
    ++answer.accepted;
  }
}

// False if the queue may be full.
template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::put_in(Job& job, OnEnd& on_end, TimePoint now, Admission& admission) {
  if (!intake_.open) {
    ++intake_.refused_stopped;
    admission.answer = Answer::kStopped;
    return true;
  }
  if (intake_.occupied >= intake_.capacity) return false;
  Node* const node = take_over(job);
  Record& entry = node->entry;
  entry.accepted_at = now;
  if (on_end) entry.on_end = std::move(on_end);
  intake_.jobs.push(node);
  ++intake_.occupied;
  admission.wants_growth = note_accepted();
  return true;
}

// Nothing has happened if it throws, but for what the job's own move has done.
template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::take_over(Job& job) -> Node* {
  Node* const node = intake_.store.take();
  try {
    node->entry.job.emplace(std::move(job));
  } catch (...) {
    intake_.store.give_back(node);
    throw;
  }
  return node;
}

// Returns whether the control loop wants to hear of it.
template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::note_accepted() {
  ++intake_.accepted;
  if (parked() > 0) return false;
  ++intake_.found_nobody_idle;
  return std::exchange(intake_.hears_submits, false);
}

// The duty of whoever put a job into a hungry intake; nothing is lost by doing it too often.
template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::feed() {
  Wakes woken;
  {
    const ScopedLock lock(mutex_);
    told_hungry_ = false;
    woken = keep_progress();
  }
  wake(woken);
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::admit(Job& job, JobOptions& options,
                                              std::unique_ptr<Cancellation>& cancellation, TimePoint now,
                                              Endings& endings) {
  if (phase_ != Phase::kOpen) return {Answer::kStopped};
  if (options.deadline <= now) return {Answer::kDeadline};
  if (options.deadline != kNever) queue_.reserve();
  Admission admission;
  Node* const node = claim_place(job, cancellation && cancellation->requested, now, admission, endings);
  if (node == nullptr) return {Answer::kFull};
  admission.is_urgent = options.deadline < control_looks_at_;
  if (admission.is_urgent) control_looks_at_ = options.deadline;
  Record& entry = node->entry;
  entry.deadline = options.deadline;
  entry.accepted_at = now;
  entry.on_end = std::move(options.on_end);
  entry.cancellation = std::move(cancellation);
  enqueue(node, endings);
  return admission;
}

// Null when there is none. Takes the job over and counts it as accepted otherwise. One that has been cancelled already
// will not be queued, and needs no place.
template <class Job, class Sync, class Protocol>
auto HandOff<Job, Sync, Protocol>::claim_place(Job& job, bool is_cancelled, TimePoint now, Admission& admission,
                                               Endings& endings) -> Node* {
  const ScopedLock lock(intake_mutex_);
  pour();  // what came first stays first, and the number of free places is exact
  if (queue_.size() >= capacity_) drop_expired(now, endings);
  if (queue_.size() >= capacity_ && !is_cancelled) return nullptr;
  Node* const node = take_over(job);
  if (!is_cancelled) ++intake_.occupied;
  admission.wants_growth = note_accepted();
  return node;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::enqueue(Node* node, Endings& endings) {
  Cancellation* const cancellation = node->entry.cancellation.get();
  if (cancellation != nullptr && cancellation->requested) {
    push_ending(endings, node, Outcome::kCancelled, node->entry.accepted_at);
    return;
  }
  queue_.push(node);
  if (cancellation == nullptr) return;
  cancellation->state = CancelState::kQueued;
  cancellation->node = node;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::count_refusal(Answer answer) {
  if (answer == Answer::kAccepted) return;
  const ScopedLock lock(intake_mutex_);
  switch (answer) {
    case Answer::kAccepted: break;
    case Answer::kFull: ++intake_.refused_full; break;
    case Answer::kStopped: ++intake_.refused_stopped; break;
    case Answer::kDeadline: ++intake_.refused_deadline; break;
  }
}

// Returns false once `until` has been reached. Where jobs leave the queue faster than a thread wakes up, a submitter
// is not told of each place, but not for ever either: the second time it is.
template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::wait_for_place(TimePoint until, const Cancellation* cancellation, bool& is_patient) {
  TimePoint patience_ends = kNever;
  mutex_.lock();
  intake_mutex_.lock();
  const bool is_cancelled = cancellation != nullptr && cancellation->requested;
  const bool is_full = queue_.size() + intake_.jobs.size() >= capacity_;
  const bool must_wait = phase_ == Phase::kOpen && is_full && !is_cancelled;
  is_patient = is_patient && pace_ < kWorthWaking && clock_.runs();
  // With both: a worker that frees a place after this sees that somebody waits, and comes when the wait has begun.
  if (must_wait && submitters_waiting_.fetch_add(1, std::memory_order_relaxed) == 0) {
    submitter_woken_.store(false, std::memory_order_relaxed);
  }
  mutex_.unlock();
  bool in_time = true;
  if (must_wait) {
    const int impatient = is_patient ? 0 : 1;
    if (is_patient) patience_ends = clock_.now() + kPatience;
    impatient_.fetch_add(impatient, std::memory_order_relaxed);
    in_time = Sync::wait_until(places_, intake_mutex_, clock_, std::min(until, patience_ends));
    impatient_.fetch_sub(impatient, std::memory_order_relaxed);
    submitters_waiting_.fetch_sub(1, std::memory_order_relaxed);
    submitter_woken_.store(false, std::memory_order_relaxed);
  }
  intake_mutex_.unlock();
  const bool only_patience_ended = !in_time && patience_ends < until;
  if (only_patience_ended) is_patient = false;
  return in_time || only_patience_ended;
}

// One submitter is told of all the places that became free before it looked: it tells the next of what it leaves. Who
// gets in by way of `admit` does so there.
template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::pass_places_on() {
  if (submitters_waiting_.load(std::memory_order_relaxed) > 0) feed();
}

// A submitter that waits is woken if that is worth it, and unless one has been woken and is to look first.
template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::tell_submitters() {
  if (submitters_waiting_.load(std::memory_order_relaxed) == 0 || queue_.size() >= capacity_) return;
  if (submitter_woken_.load(std::memory_order_relaxed)) return;
  if (impatient_.load(std::memory_order_relaxed) == 0 && !is_worth_waking(capacity_ - queue_.size())) return;
  const ScopedLock lock(intake_mutex_);
  pour();
  tell_submitter_ = queue_.size() < capacity_;
  submitter_woken_.store(tell_submitter_, std::memory_order_relaxed);
}

template <class Job, class Sync, class Protocol>
bool HandOff<Job, Sync, Protocol>::is_worth_waking(std::size_t places) const {
  if (places >= capacity_ / 2 || pace_ >= kWorthWaking) return true;
  const Duration waiting = pace_ * static_cast<Duration::rep>(queue_.size() / kShareWorthWaking);
  return pace_ * static_cast<Duration::rep>(places) >= std::clamp(waiting, kWorthWaking, kWorthWakingAtMost);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::cancel(Cancellation& cancellation) noexcept {
  Endings endings;
  std::optional<std::stop_source> running;
  Wakes woken;
  bool may_wait_for_place = false;
  const TimePoint now = clock_.now();
  {
    const ScopedLock lock(mutex_);
    switch (cancellation.state) {
      case CancelState::kFresh: may_wait_for_place = cancellation.requested = true; break;
      case CancelState::kQueued:
        push_ending(endings, queue_.remove(cancellation.node), Outcome::kCancelled, now);
        break;
      case CancelState::kRunning: running = cancellation.running; break;
      case CancelState::kEnded: break;
    }
    woken = keep_progress();
  }
  wake(woken);
  if (may_wait_for_place) {
    const ScopedLock lock(intake_mutex_);  // its submitter waits already, or has yet to see that it was cancelled
    places_.notify_all();
  }
  if (running) running->request_stop();
  // Destroys the stop callback from inside itself, which the standard allows; nothing of it is touched afterwards.
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::drop_expired(TimePoint now, Endings& endings) {
  while (Node* const node = queue_.pop_expired(now)) push_ending(endings, node, Outcome::kExpired, now);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::push_ending(Endings& endings, Node* node, Outcome outcome, TimePoint now) {
  if (node->entry.cancellation) node->entry.cancellation->state = CancelState::kEnded;
  count_end(outcome);
  ++reporting_;
  const Duration waited = std::max(now - node->entry.accepted_at, Duration::zero());
  endings.push_back({node, {outcome, nullptr, waited, Duration::zero(), kNoWorker}});
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::report(Endings& endings) noexcept {
  if (endings.empty()) return;
  for (Ending& ending : endings) {
    Record& entry = ending.node->entry;
    entry.job.reset();
    if (entry.on_end) entry.on_end(std::move(ending.end));
    entry.on_end = nullptr;
    entry.deadline = kNever;
    // Before the count says that nothing is being reported: a stop callback that is just running still uses *this.
    entry.cancellation.reset();
  }
  const ScopedLock lock(mutex_);
  for (const Ending& ending : endings) spare_.push(ending.node);
  reporting_ -= endings.size();
  notify_if_quiet();
}

}  // namespace optimux::pool
