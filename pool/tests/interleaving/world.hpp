/// \file
/// What the tests of interleavings share: a hand-off with workers, and what must hold of its jobs.
#pragma once

#include "interleaving/model_sync.hpp"
#include "optimux/pool/hand_off.hpp"

#include <gtest/gtest.h>
#include <map>

namespace optimux::pool::testing {

/// A hand-off with a few workers, and the record of what happened to its jobs (numbers).
template <class Protocol>
struct World {
  using Exchange = HandOff<int, ModelSync, Protocol>;
  using Slot = typename Exchange::Slot;

  explicit World(std::size_t capacity = 8) : exchange(capacity, clock) {}

  /// A worker that runs jobs until told to leave.
  void worker(Explorer& explorer, WorkerIndex index) {
    slots.push_back(std::make_unique<Slot>(index));
    Slot& slot = *slots.back();
    exchange.attach(slot);
    explorer.spawn("worker" + std::to_string(index), [this, &explorer, &slot] {
      ++working;
      const Signal signal = work(explorer, slot);
      exchange.detach(slot);
      --working;
      left[slot.index] = signal;
    });
  }

  Signal work(Explorer& explorer, Slot& slot) {
    for (;;) {
      typename Exchange::Entry node = nullptr;
      const Signal signal = exchange.take(slot, node, clock.now(), most);
      if (signal != Signal::kJob) return signal;
      while (node != nullptr) {
        auto* const next = node->next;  // finished nodes are no longer the worker's
        explorer.require(node->entry.started_at <= stopped_at, "I7: a job starts after stop");
        ++started[*node->entry.job];
        if (run) run(slot, node->entry);
        exchange.finish(slot, node, RunReport{}, JobEnd{});
        node = next;
      }
    }
  }

  JobOptions options(int job, std::stop_token stop = {}) {
    JobOptions options;
    options.stop = std::move(stop);
    options.on_end = [this, job](const JobEnd& end) { ended[job].push_back(end.outcome); };
    return options;
  }

  Answer submit(int job, std::stop_token stop = {}) {
    int value = job;
    return note(job, exchange.try_submit(std::move(value), options(job, std::move(stop))).answer);
  }
  Answer note(int job, Answer answer) {
    if (answer == Answer::kAccepted) accepted.push_back(job);
    return answer;
  }

  void stop() {
    exchange.stop();
    stopped_at = clock.now();
    clock.advance(std::chrono::nanoseconds(1));
  }

  /// What must hold when nothing moves: I4 and I8.
  void require_all_ended(Explorer& explorer) const {
    for (const int job : accepted) {
      const auto end = ended.find(job);
      explorer.require(end != ended.end(), "I8: job " + std::to_string(job) + " waits and nobody comes");
      explorer.require(end == ended.end() || end->second.size() == 1, "I4: a job ended twice");
    }
    explorer.require(accepted.size() == ended.size(), "I4: a job ended that was not accepted");
  }

  ModelClock clock;
  Exchange exchange;
  std::vector<std::unique_ptr<Slot>> slots;
  std::function<void(Slot&, typename Exchange::Record&)> run;
  std::size_t most = 1;  // jobs that a worker takes at once
  std::vector<int> accepted;
  std::map<int, int> started;
  std::map<int, std::vector<Outcome>> ended;
  std::map<WorkerIndex, Signal> left;
  int working = 0;
  TimePoint stopped_at = kNever;
};

/// The search found no fault, and went through everything.
inline void expect_sound(const Explorer::Result& result) {
  EXPECT_EQ(result.failure, "") << "schedule: " << result.schedule;
  EXPECT_TRUE(result.complete) << "gave up after " << result.executions << " executions";
  EXPECT_GT(result.executions, 10U);
  ::testing::Test::RecordProperty("executions", static_cast<int>(result.executions));
}

/// The search found a fault that says `part_of_failure`.
inline void expect_found(const Explorer::Result& result, const std::string& part_of_failure) {
  EXPECT_NE(result.failure.find(part_of_failure), std::string::npos)
      << "found: '" << result.failure << "' in " << result.executions << " executions";
}

}  // namespace optimux::pool::testing
