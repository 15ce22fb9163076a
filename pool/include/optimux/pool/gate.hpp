/// \file
/// Gates know when another worker would add no capacity, because what the workers compete for is used up already.
#pragma once

#include "optimux/pool/policy.hpp"

#include <functional>
#include <limits>
#include <string>

namespace optimux::pool {

/// What a gate says about a moment.
struct GateAnswer {
  bool closed = false;                                   ///< No growth now.
  int useful_workers = std::numeric_limits<int>::max();  ///< Growth beyond this number is of no use.
};

/// A condition on growth. A closed gate stops every growth but the refill of the floor (I10); an open one still limits
/// a step to the number of workers that it calls useful, so that one decision cannot jump over it. A value; copies
/// share what a probe holds. May be called by any thread.
class Gate {
 public:
  /// Always open.
  Gate() = default;

  /// Closed while `slots` jobs or more are being run: whatever they use exists `slots` times. Must not be above the
  /// pool's max_workers, where it could never close.
  [[nodiscard]] static Gate slots(int slots);
  /// Closed while the jobs being run, each with `threads_per_job` busy threads, occupy all usable CPUs.
  [[nodiscard]] static Gate cpu(int threads_per_job = 1);
  /// Closed while `saturated` returns true. It is called by the control thread before each growth, with no lock held;
  /// if it throws, the gate counts as closed.
  [[nodiscard]] static Gate probe(std::function<bool(const Snapshot&)> saturated);
  /// Closed while either is.
  [[nodiscard]] static Gate both(const Gate& first, const Gate& second);

  /// What the gate says about `snapshot`. Throws what a probe throws.
  [[nodiscard]] GateAnswer check(const Snapshot& snapshot) const { return check_ ? check_(snapshot) : GateAnswer{}; }
  /// What is wrong with the gate under `limits`; empty when nothing is.
  [[nodiscard]] std::optional<ConfigError> validate(const Limits& limits) const {
    return validate_ ? validate_(limits) : std::nullopt;
  }
  /// "none", "slots(4)", "cpu(1)" …
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "none";
  std::function<GateAnswer(const Snapshot&)> check_;
  std::function<std::optional<ConfigError>(const Limits&)> validate_;
};

}  // namespace optimux::pool
