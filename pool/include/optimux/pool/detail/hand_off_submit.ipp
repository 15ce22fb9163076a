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
  std::unique_ptr<Cancellation> cancellation = watch(options.stop);
  const TimePoint now = clock_.now();
  Endings endings;
  Slot* woken = nullptr;
  Admission admission;
  {
    const ScopedLock lock(mutex_);
    admission = admit(job, options, cancellation, now, endings);
    count_answer(admission.answer);
    woken = keep_progress();
  }
  wake(woken);
  report(endings);
  return admission;
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::submit(Job&& job, JobOptions&& options, TimePoint wait_until) {
  std::unique_ptr<Cancellation> cancellation = watch(options.stop);
  const TimePoint until = std::min(wait_until, options.deadline);
  Endings endings;
  Slot* woken = nullptr;
  Admission admission;
  {
    const ScopedLock lock(mutex_);
    for (bool may_wait = true;;) {
      admission = admit(job, options, cancellation, clock_.now(), endings);
      if (admission.answer != Answer::kFull) break;
      if (!may_wait) {
        admission.answer = Answer::kDeadline;
        break;
      }
      ++submitters_waiting_;
      may_wait = Sync::wait_until(places_, mutex_, clock_, until);
      --submitters_waiting_;
    }
    count_answer(admission.answer);
    woken = keep_progress();
  }
  wake(woken);
  report(endings);
  return admission;
}

template <class Job, class Sync, class Protocol>
std::pair<BatchAnswer, Admission> HandOff<Job, Sync, Protocol>::submit_batch(std::span<Job> jobs,
                                                                             std::span<JobOptions> options) {
  const TimePoint now = clock_.now();
  std::vector<std::unique_ptr<Cancellation>> cancellations(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) cancellations[i] = watch(options[i].stop);
  BatchAnswer answer;
  Admission sum;
  Endings endings;
  Slot* woken = nullptr;
  {
    const ScopedLock lock(mutex_);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      JobOptions none;
      std::unique_ptr<Cancellation> no_cancellation;
      const bool plain = options.empty();
      const Admission one =
          admit(jobs[i], plain ? none : options[i], plain ? no_cancellation : cancellations[i], now, endings);
      answer.answer = count_answer(one.answer);
      sum.is_urgent |= one.is_urgent;
      sum.wants_growth |= one.wants_growth;
      if (one.answer != Answer::kAccepted) break;
      ++answer.accepted;
    }
    woken = keep_progress();
  }
  wake(woken);
  report(endings);
  return {answer, sum};
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::admit(Job& job, JobOptions& options,
                                              std::unique_ptr<Cancellation>& cancellation, TimePoint now,
                                              Endings& endings) {
  if (phase_ != Phase::kOpen) return {Answer::kStopped};
  if (options.deadline <= now) return {Answer::kDeadline};
  if (queue_.size() >= capacity_) drop_expired(now, endings);
  if (queue_.size() >= capacity_) return {Answer::kFull};
  const Admission admission = accept(options.deadline);
  enqueue(
      {std::optional<Job>(std::move(job)), options.deadline, now, std::move(options.on_end), std::move(cancellation)},
      endings);
  return admission;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::enqueue(Entry&& entry, Endings& endings) {
  Cancellation* const cancellation = entry.cancellation.get();
  if (cancellation != nullptr && cancellation->requested) {
    const TimePoint now = entry.accepted_at;
    push_ending(endings, std::move(entry), Outcome::kCancelled, now);
    return;
  }
  const auto place = queue_.push(std::move(entry));
  if (cancellation == nullptr) return;
  cancellation->state = CancelState::kQueued;
  cancellation->place = place;
}

template <class Job, class Sync, class Protocol>
Answer HandOff<Job, Sync, Protocol>::count_answer(Answer answer) {
  switch (answer) {
    case Answer::kAccepted: ++totals_.counters.accepted; break;
    case Answer::kFull: ++totals_.counters.refused_full; break;
    case Answer::kStopped: ++totals_.counters.refused_stopped; break;
    case Answer::kDeadline: ++totals_.counters.refused_deadline; break;
  }
  return answer;
}

template <class Job, class Sync, class Protocol>
Admission HandOff<Job, Sync, Protocol>::accept(TimePoint deadline) {
  Admission admission;
  admission.is_urgent = deadline < control_looks_at_;
  if (admission.is_urgent) control_looks_at_ = deadline;
  if (parked_ > 0) return admission;
  ++totals_.counters.found_nobody_idle;
  admission.wants_growth = std::exchange(hears_submits_, false);
  return admission;
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::cancel(Cancellation& cancellation) noexcept {
  Endings endings;
  std::optional<std::stop_source> running;
  const TimePoint now = clock_.now();
  {
    const ScopedLock lock(mutex_);
    switch (cancellation.state) {
      case CancelState::kFresh: cancellation.requested = true; break;
      case CancelState::kQueued:
        push_ending(endings, queue_.remove(cancellation.place), Outcome::kCancelled, now);
        place_freed();
        break;
      case CancelState::kRunning:
        cancellation.runner->job_stop_shared_ = true;
        running = cancellation.runner->job_stop_;
        break;
      case CancelState::kEnded: break;
    }
  }
  if (running) running->request_stop();
  // Destroys the stop callback from inside itself, which the standard allows; nothing of it is touched afterwards.
  report(endings);
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::drop_expired(TimePoint now, Endings& endings) {
  while (std::optional<Entry> entry = queue_.pop_expired(now)) {
    push_ending(endings, std::move(*entry), Outcome::kExpired, now);
    place_freed();
  }
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::push_ending(Endings& endings, Entry&& entry, Outcome outcome, TimePoint now) {
  if (entry.cancellation) entry.cancellation->state = CancelState::kEnded;
  count_end(outcome);
  ++reporting_;
  const Duration waited = std::max(now - entry.accepted_at, Duration::zero());
  endings.push_back({std::move(entry), {outcome, nullptr, waited, Duration::zero(), kNoWorker}});
}

template <class Job, class Sync, class Protocol>
void HandOff<Job, Sync, Protocol>::report(Endings& endings) noexcept {
  if (endings.empty()) return;
  const std::size_t count = endings.size();
  for (Ending& ending : endings) {
    ending.entry.job.reset();
    if (ending.entry.on_end) ending.entry.on_end(std::move(ending.end));
  }
  // Before the count says that nothing is being reported: a stop callback that is just running still uses *this.
  endings.clear();
  const ScopedLock lock(mutex_);
  reporting_ -= count;
  notify_if_quiet();
}

}  // namespace optimux::pool
