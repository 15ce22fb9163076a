/// \file
/// Who works in a pool: one list, in the order of creation. Plain data without threads or locks.
#pragma once

#include "optimux/pool/detail/check.hpp"
#include "optimux/pool/job.hpp"
#include "optimux/pool/sync.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace optimux::pool {

/// The list of slots. Its tail is the newest worker. Every number is counted from it when asked for; nothing else could
/// fall out of step (I2). It knows nothing of what a worker is: a thread, a coroutine, or a line in a simulation.
template <class Protocol>
class BasicRegistry {
 public:
  /// One worker.
  struct Slot {
    /// Whose slot it is.
    WorkerIndex index = 0;
    bool ready = false;     ///< Has looked for its first job.
    bool retiring = false;  ///< Has been asked to leave.
    bool nudged = false;    ///< Has been nudged.
    TimePoint asked_at{};   ///< When it was asked to leave.
  };

  /// Appends a slot and returns its number.
  WorkerIndex append() {
    slots_.push_back({next_, false, false, false, {}});
    return next_++;
  }
  /// The worker has looked for its first job.
  void ready(WorkerIndex index) {
    if (Slot* slot = find_slot(index)) slot->ready = true;
  }
  /// Marks the newest `most` live workers, or as many as there are, as retiring; returns their numbers, newest first.
  std::vector<WorkerIndex> retire_newest(int most, TimePoint now) {
    std::vector<WorkerIndex> asked;
    for (auto slot = slots_.rbegin(); slot != slots_.rend() && static_cast<int>(asked.size()) < most; ++slot) {
      if (slot->retiring) continue;
      slot->retiring = true;
      slot->asked_at = now;
      asked.push_back(slot->index);
    }
    return asked;
  }
  /// Marks the newest live worker as retiring and returns its number (I5); empty when none is live.
  std::optional<WorkerIndex> retire_newest(TimePoint now) {
    const std::vector<WorkerIndex> asked = retire_newest(1, now);
    return asked.empty() ? std::nullopt : std::optional(asked.front());
  }
  /// Marks those who have not left within `grace` of being asked as nudged and returns their numbers, each once (I9).
  std::vector<WorkerIndex> nudge_overdue(TimePoint now, Duration grace) {
    std::vector<WorkerIndex> overdue;
    for (Slot& slot : slots_) {
      if (!slot.retiring || slot.nudged || now - slot.asked_at < grace) continue;
      slot.nudged = true;
      overdue.push_back(slot.index);
    }
    if constexpr (!Protocol::kFreesOnExitOnly) {
      for (const WorkerIndex index : overdue) free(index);
    }
    return overdue;
  }
  /// The worker has left: gives its slot back (I6). Unknown numbers are ignored.
  void free(WorkerIndex index) { free(std::vector<WorkerIndex>{index}); }
  /// As `free` for each of `indices`, in one pass over the list.
  void free(std::vector<WorkerIndex> indices) {
    std::sort(indices.begin(), indices.end());
    const auto gone = [&](const Slot& slot) { return std::binary_search(indices.begin(), indices.end(), slot.index); };
    slots_.erase(std::remove_if(slots_.begin(), slots_.end(), gone), slots_.end());
  }

  /// All slots.
  [[nodiscard]] int total() const { return static_cast<int>(slots_.size()); }
  /// Slots not retiring.
  [[nodiscard]] int live() const {
    return count([](const Slot& slot) { return !slot.retiring; });
  }
  /// Live slots whose worker has not looked for its first job yet.
  [[nodiscard]] int starting() const {
    return count([](const Slot& slot) { return !slot.retiring && !slot.ready; });
  }
  /// The next moment at which `nudge_overdue` has something to do; `kNever` when there is none.
  [[nodiscard]] TimePoint next_nudge(Duration grace) const {
    TimePoint next = kNever;
    for (const Slot& slot : slots_) {
      if (slot.retiring && !slot.nudged) next = std::min(next, slot.asked_at + grace);
    }
    return next;
  }
  /// The slot of a worker; null when it has none. Valid until the next change.
  [[nodiscard]] const Slot* find(WorkerIndex index) const { return const_cast<BasicRegistry*>(this)->find_slot(index); }
  /// The slots in the order of creation.
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

 private:
  [[nodiscard]] Slot* find_slot(WorkerIndex index) {
    const auto at = std::lower_bound(slots_.begin(), slots_.end(), index,
                                     [](const Slot& slot, WorkerIndex wanted) { return slot.index < wanted; });
    return at != slots_.end() && at->index == index ? &*at : nullptr;
  }
  template <class Condition>
  [[nodiscard]] int count(Condition condition) const {
    return static_cast<int>(std::count_if(slots_.begin(), slots_.end(), condition));
  }

  std::vector<Slot> slots_;
  WorkerIndex next_ = 0;
};

/// The registry that pools use.
using Registry = BasicRegistry<StandardProtocol>;

}  // namespace optimux::pool
