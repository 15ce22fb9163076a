/// \file
/// Policies and gates by their names.
#pragma once

#include "optimux/pool/config_error.hpp"
#include "optimux/pool/gate.hpp"
#include "optimux/pool/policy.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace optimux::pool::simulator {

/// A policy as it was named.
struct NamedPolicy {
  std::string name;
  std::shared_ptr<const Policy> policy;
};

/// The policy of a name: `little`; `queue-length[:INTERVAL,COOLDOWN]`, by default with the library's 5 s and 30 s;
/// `spawn-on-submit[:IDLE]`, by default with its 10 s; `fixed:N`. The error says what is allowed.
[[nodiscard]] Made<NamedPolicy> policy_of(std::string_view name);

/// The policies that a comparison should not do without, for a machine of `cpus`: `LittlePolicy`; the rule of queue
/// length and cooldown, and the same in a hurry and without cooldown; a worker a job with the idle times of 10 s and
/// 60 s that are in use elsewhere; and a worker a CPU, always.
[[nodiscard]] std::vector<NamedPolicy> all_policies(int cpus);

/// The gate of a name: `none`, `cpu[:T]` (T threads a job, by default 1) or `slots:N`.
[[nodiscard]] Made<Gate> gate_of(std::string_view name);

/// Workers beyond which `gate` calls more of no use on a machine of `cpus`; `most` if it has no such number.
[[nodiscard]] int useful_workers(const Gate& gate, int cpus, int most);

}  // namespace optimux::pool::simulator
