/// \file
/// Policies say how many workers a pool should have. They are pure: the same snapshot gives the same verdict, whoever
/// asks and whenever, so that a decision can be replayed from the log and a simulator can run the real classes.
#pragma once

#include "optimux/pool/config_error.hpp"
#include "optimux/pool/snapshot.hpp"

#include <cstdint>
#include <string_view>

namespace optimux::pool {

/// The limits of a pool; they can be changed while it runs.
struct Limits {
  int min_workers = 1;                ///< The floor of live workers; 0 or more.
  int max_workers = 1;                ///< The cap on all workers, leaving ones included; at least 1 and the floor.
  std::size_t queue_capacity = 1024;  ///< Jobs that may wait; at least 1.
};

/// Why a pool has, or is to have, so many workers. The first group comes from policies, the second from the supervisor.
enum class Reason : std::uint8_t {
  kSteady,       ///< Nothing asks for a change.
  kQueueLong,    ///< The queue is longer than the growth threshold.
  kQueueShort,   ///< The queue is shorter than the shrink threshold.
  kCooldown,     ///< Too soon after the last change.
  kLoadRose,     ///< The load wants more workers.
  kLoadFell,     ///< The load wants fewer workers.
  kDeadBand,     ///< The load wants a number too close to the present one.
  kRecentPeak,   ///< The load wants fewer, but wanted more within the window.
  kColdStart,    ///< Jobs wait and nothing is known about them yet.
  kNobodyIdle,   ///< A job was submitted while nobody was idle.
  kIdleTooLong,  ///< A worker has been idle for longer than it may.
  kFixed,        ///< The number is given.
  kCustom,       ///< A policy of the user's.

  kGated,         ///< Growth was wanted; the gate says that it would add no capacity.
  kAtMax,         ///< Growth was wanted; the cap does not allow it.
  kAtMin,         ///< Shrinking was wanted; the floor does not allow it.
  kFloorRefill,   ///< Fewer live workers than the floor.
  kLimitLowered,  ///< More live workers than the cap, after `set_limits`.
  kJobsWaiting,   ///< Jobs wait and there is no worker at all.
  kStartBackoff,  ///< Workers could not be created; the next attempt comes later.
  kPolicyFailed,  ///< The policy or the gate threw; the number stays.
};

/// The name of a reason: "load rose", "gated" …
[[nodiscard]] std::string_view to_string(Reason reason);

/// What a policy wants.
struct Verdict {
  int target = 0;  ///< Live workers there should be; the supervisor keeps it within limits and gate.
  /// Why.
  Reason reason = Reason::kSteady;
  int desired = 0;  ///< What the load alone asks for; its maxima become `Snapshot::recent_peak` and `latest_peak`.
};

/// The interface of all policies. `decide` must be a pure function. One object may serve several pools; all members may
/// be called by any thread.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// A short name for the log.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Time between two decisions; more than 0.
  [[nodiscard]] virtual Duration interval() const = 0;
  /// There is no shrinking within it after a growth (I11).
  [[nodiscard]] virtual Duration window() const { return Duration::zero(); }
  /// How far back `Snapshot::recent_peak` reaches.
  [[nodiscard]] virtual Duration peak_window() const { return window(); }
  /// How far back `Snapshot::latest_peak` reaches, but no farther than `peak_window`.
  [[nodiscard]] virtual Duration short_peak_window() const { return Duration::zero(); }
  /// More live workers than this it never wants, whatever the load, so far as that is known beforehand. Floor and cap
  /// of `limits` apply besides.
  [[nodiscard]] virtual int most_workers(const Limits& limits) const { return limits.max_workers; }
  /// True to be asked as soon as a job is submitted with nobody idle, not only every `interval`.
  [[nodiscard]] virtual bool reacts_to_submits() const { return false; }
  /// What is wrong with the policy's own settings under `limits`; empty when nothing is.
  [[nodiscard]] virtual std::optional<ConfigError> validate(const Limits& limits) const;
  /// How many workers there should be. Does not block; should not throw.
  [[nodiscard]] virtual Verdict decide(const Snapshot& snapshot, TimePoint now) const = 0;
};

}  // namespace optimux::pool
