#include "optimux/pool/gate.hpp"

#include <algorithm>
#include <utility>

namespace optimux::pool {

Gate Gate::slots(int slots) {
  Gate gate;
  gate.name_ = "slots(" + std::to_string(slots) + ")";
  gate.check_ = [slots](const Snapshot& snapshot) { return GateAnswer{snapshot.in_flight >= slots, slots}; };
  gate.validate_ = [slots](const Limits& limits) -> std::optional<ConfigError> {
    if (slots < 1) return ConfigError{"gate.slots", "must be at least 1"};
    if (slots <= limits.max_workers) return std::nullopt;
    return ConfigError{"gate.slots", std::to_string(slots) + " is above max_workers (" +
                                         std::to_string(limits.max_workers) + "): the gate would never close"};
  };
  return gate;
}

Gate Gate::cpu(int threads_per_job) {
  Gate gate;
  gate.name_ = "cpu(" + std::to_string(threads_per_job) + ")";
  gate.check_ = [threads_per_job](const Snapshot& snapshot) {
    const int useful = std::max(1, (snapshot.cpus + threads_per_job - 1) / threads_per_job);
    return GateAnswer{snapshot.in_flight * threads_per_job >= snapshot.cpus, useful};
  };
  gate.validate_ = [threads_per_job](const Limits& /*limits*/) -> std::optional<ConfigError> {
    if (threads_per_job >= 1) return std::nullopt;
    return ConfigError{"gate.threads_per_job", "must be at least 1"};
  };
  return gate;
}

Gate Gate::probe(std::function<bool(const Snapshot&)> saturated) {
  Gate gate;
  gate.name_ = "probe";
  const bool callable = static_cast<bool>(saturated);
  gate.check_ = [saturated = std::move(saturated)](const Snapshot& snapshot) {
    GateAnswer answer;
    answer.closed = saturated(snapshot);
    return answer;
  };
  gate.validate_ = [callable](const Limits& /*limits*/) -> std::optional<ConfigError> {
    if (callable) return std::nullopt;
    return ConfigError{"gate.probe", "must be callable"};
  };
  return gate;
}

Gate Gate::both(const Gate& first, const Gate& second) {
  Gate gate;
  gate.name_ = first.name_ + " and " + second.name_;
  gate.check_ = [first, second](const Snapshot& snapshot) {
    const GateAnswer a = first.check(snapshot);
    const GateAnswer b = second.check(snapshot);
    return GateAnswer{a.closed || b.closed, std::min(a.useful_workers, b.useful_workers)};
  };
  gate.validate_ = [first, second](const Limits& limits) {
    auto error = first.validate(limits);
    return error ? error : second.validate(limits);
  };
  return gate;
}

}  // namespace optimux::pool
