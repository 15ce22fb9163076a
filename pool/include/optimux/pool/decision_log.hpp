/// \file
/// The record of what a pool decided about its size, and why.
#pragma once

#include "optimux/pool/gate.hpp"
#include "optimux/pool/policy.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace optimux::pool {

/// One decision with everything that went into it. `policy->decide(input, at)` gives `verdict` again: the log can be
/// replayed.
struct Decision {
  std::uint64_t sequence = 0;       ///< 1, 2, 3 …; gaps where older entries have been dropped.
  TimePoint at{};                   ///< When it was taken.
  std::string policy;               ///< Name of the policy; empty when it was not asked (floor, limits).
  Snapshot input;                   ///< What the policy saw.
  Verdict verdict;                  ///< What it wanted; the present number when it was not asked.
  GateAnswer gate;                  ///< What the gate said; open when it was not asked (no growth wanted).
  int target = 0;                   ///< Live workers there shall be.
  Reason reason = Reason::kSteady;  ///< Why: the policy's reason, or that of the rule which overrode it.
  std::uint64_t repeats = 0;        ///< Later decisions that changed nothing either, for the same reason.
};

/// One line for a person: `#12 little: 4 -> 6, load rose (queue 3, in flight 4, offered 4.71)`.
[[nodiscard]] std::string to_string(const Decision& decision);

/// Keeps the latest decisions. Those that change nothing are kept only when their reason differs from the entry before,
/// which counts them otherwise. Not thread-safe.
class DecisionLog {
 public:
  /// A log for at most `capacity` entries, at least 1.
  explicit DecisionLog(std::size_t capacity) : capacity_(capacity) {}

  /// Adds `decision`, numbers it and drops the oldest entry if there are too many. Returns false if it was only
  /// counted.
  bool add(Decision decision);
  /// The entries, oldest first.
  [[nodiscard]] std::vector<Decision> entries() const { return {entries_.begin(), entries_.end()}; }

 private:
  std::size_t capacity_;
  std::uint64_t next_ = 1;
  std::deque<Decision> entries_;
};

}  // namespace optimux::pool
