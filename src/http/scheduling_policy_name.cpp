#include "http/scheduling_policy_name.hpp"

namespace optimux::http {

std::string_view name_of(SchedulingPolicy policy) {
  switch (policy) {
    case SchedulingPolicy::kPhases: return "phases";
    case SchedulingPolicy::kRfc9218: return "rfc9218";
    case SchedulingPolicy::kFair: return "fair";
    case SchedulingPolicy::kFifo: return "fifo";
  }
  return "unknown";
}

std::optional<SchedulingPolicy> parse_scheduling_policy(std::string_view name) {
  for (const auto policy :
       {SchedulingPolicy::kPhases, SchedulingPolicy::kRfc9218, SchedulingPolicy::kFair, SchedulingPolicy::kFifo}) {
    if (name == name_of(policy)) return policy;
  }
  return std::nullopt;
}

}  // namespace optimux::http
