/// \file
/// From a policy's wish to a decision: limits, floor, gate and window applied. Knows no threads; a simulator drives it
/// as a pool does.
#pragma once

#include "optimux/pool/decision_log.hpp"

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace optimux::pool {

/// Takes one decision after the other. Not thread-safe.
class Controller {
 public:
  /// `policy` is not null.
  Controller(std::shared_ptr<const Policy> policy, Gate gate) : policy_(std::move(policy)), gate_(std::move(gate)) {}

  /// Decides at `now` about the pool in `snapshot`, whose fields `recent_peak`, `latest_peak`, `last_scaled_at` and
  /// `unmet_submits` it fills itself. The policy is asked when its interval has passed, or at once if it reacts to
  /// submissions and there have been some that found nobody idle; otherwise only floor and limits count. Empty when
  /// there is nothing to decide.
  std::optional<Decision> decide(Snapshot snapshot, TimePoint now);

  /// The growth that was just decided on has not taken place: no cooldown and no window follow from it.
  void forget_growth();

  /// When the policy is to be asked again.
  [[nodiscard]] TimePoint next_at() const { return next_at_; }

  /// What the controller remembers between decisions.
  struct Memory {
    /// `Snapshot::recent_peak`.
    int recent_peak = 0;
    /// `Snapshot::latest_peak`.
    int latest_peak = 0;
    /// `Snapshot::last_scaled_at`.
    TimePoint last_scaled_at{};
    /// Submissions that found nobody idle, up to the latest decision.
    std::uint64_t unmet_seen = 0;
    int growth_limit = std::numeric_limits<int>::max();  ///< Live workers that the gate allows, as far as is known.
    /// Completes a snapshot with it.
    void fill(Snapshot& snapshot) const;
  };
  /// What it remembers at this moment.
  [[nodiscard]] Memory memory() const;

 private:
  void forget_peaks(TimePoint now);
  bool is_due(const Snapshot& snapshot, TimePoint now) const;
  void ask_policy(Decision& decision, TimePoint now);
  void keep_window(Decision& decision, TimePoint now) const;
  static void keep_limits(Decision& decision);
  void keep_gate(Decision& decision);
  void remember(const Decision& decision, TimePoint now);

  std::shared_ptr<const Policy> policy_;
  Gate gate_;
  TimePoint next_at_{};
  TimePoint last_scaled_at_{};
  TimePoint last_grown_at_{};
  std::optional<std::pair<TimePoint, TimePoint>> before_growth_;  // the two above, if the latest decision changed them
  std::uint64_t unmet_seen_ = 0;
  int growth_limit_ = std::numeric_limits<int>::max();
  std::deque<std::pair<TimePoint, int>> peaks_;  // falling values: the first is the largest within the window
  int latest_peak_ = 0;
};

}  // namespace optimux::pool
