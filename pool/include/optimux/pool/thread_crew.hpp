/// \file
/// Workers that are threads.
#pragma once

#include "optimux/pool/config.hpp"
#include "optimux/pool/supervisor.hpp"
#include "optimux/pool/worker_context.hpp"

#include <map>
#include <stdexcept>

namespace optimux::pool {

/// Creates and joins one thread for each worker. The supervisor steers it as a `Workforce`.
template <class Job>
class ThreadCrew final : public Workforce {
 public:
  /// The queue that the workers take from.
  using Exchange = HandOff<Job>;
  /// What makes the workers.
  using Factory = WorkerFactory<Job>;
  /// A worker's place in the hand-off.
  using Slot = typename Exchange::Slot;

  /// What is wrong with `config` for workers of this kind; empty when nothing is.
  [[nodiscard]] static std::optional<ConfigError> validate(const Config& /*config*/) { return std::nullopt; }

  /// `config`'s clock and `hand_off` must outlive the crew.
  ThreadCrew(const Config& config, Factory factory, Exchange& hand_off, CrewEvents events)
      : clock_(config.clock),
        gives_way_(config.gives_way_to_submitters),
        on_thread_start_(config.on_thread_start),
        start_thread_(config.start_thread),
        factory_(std::move(factory)),
        hand_off_(hand_off),
        events_(std::move(events)) {}

  [[nodiscard]] Load load(TimePoint now, Duration overrun_after) const override {
    return hand_off_.load(now, overrun_after);
  }
  void rotate_quantiles() override { hand_off_.rotate_quantiles(); }
  void ask_retire(WorkerIndex index) override {
    if (Member* member = find(index)) hand_off_.ask_retire(member->slot);
  }
  void nudge(WorkerIndex index) override {
    if (Member* member = find(index)) hand_off_.nudge(member->slot);
  }
  void start(WorkerIndex index) override;
  void join(WorkerIndex index) override;

 private:
  struct Member {
    explicit Member(WorkerIndex index) : slot(index) {}
    Slot slot;
    std::thread thread;
  };

  Member* find(WorkerIndex index) {
    const MutexLock lock(mutex_);
    const auto at = members_.find(index);
    return at == members_.end() ? nullptr : at->second.get();
  }
  void run(Slot& slot, WorkerBody<Job>& body);
  WorkerExit run_body(Slot& slot, WorkerBody<Job>& body);

  const std::shared_ptr<Clock> clock_;
  const bool gives_way_;
  const std::function<void(WorkerIndex)> on_thread_start_;
  const std::function<std::thread(UniqueFunction<void()>)> start_thread_;
  const Factory factory_;
  Exchange& hand_off_;
  const CrewEvents events_;

  Mutex mutex_;
  std::map<WorkerIndex, std::unique_ptr<Member>> members_ OPTIMUX_POOL_GUARDED_BY(mutex_);
};

template <class Job>
void ThreadCrew<Job>::start(WorkerIndex index) {
  WorkerBody<Job> body = factory_(index);
  if (!body) throw std::invalid_argument("the factory made a worker without a body");
  auto member = std::make_unique<Member>(index);
  Slot& slot = member->slot;
  slot.give_way(gives_way_);
  hand_off_.attach(slot);
  try {
    member->thread = start_thread_([this, &slot, body = std::move(body)]() mutable { run(slot, body); });
  } catch (...) {
    hand_off_.detach(slot);
    throw;
  }
  const MutexLock lock(mutex_);
  members_.emplace(index, std::move(member));
}

template <class Job>
void ThreadCrew<Job>::join(WorkerIndex index) {
  std::unique_ptr<Member> member;
  {
    const MutexLock lock(mutex_);
    const auto at = members_.find(index);
    if (at == members_.end()) return;
    member = std::move(at->second);
    members_.erase(at);
  }
  member->thread.join();
}

template <class Job>
void ThreadCrew<Job>::run(Slot& slot, WorkerBody<Job>& body) {
  WorkerExit exit = run_body(slot, body);
  body = nullptr;  // what the worker holds goes before its slot does
  const WorkerIndex index = slot.index;
  hand_off_.detach(slot);
  events_.exited(index, std::move(exit));
}

template <class Job>
WorkerExit ThreadCrew<Job>::run_body(Slot& slot, WorkerBody<Job>& body) {
  WorkerContext<Job> context(hand_off_, slot, *clock_, [this, &slot] { events_.ready(slot.index); });
  try {
    if (on_thread_start_) on_thread_start_(slot.index);
    body(context);
  } catch (const std::exception& error) {
    return {ExitKind::kThrew, error.what()};
  } catch (...) {
    return {ExitKind::kThrew, "unknown error"};
  }
  if (context.last_signal() == Signal::kRetire) return {ExitKind::kRetired, ""};
  return {hand_off_.stopped() ? ExitKind::kStopped : ExitKind::kReturned, ""};
}

}  // namespace optimux::pool
