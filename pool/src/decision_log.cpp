#include "optimux/pool/decision_log.hpp"

#include <cstdio>
#include <utility>

namespace optimux::pool {
namespace {

bool changes_nothing(const Decision& decision) {
  return decision.target == decision.input.live;
}

}  // namespace

std::string to_string(const Decision& decision) {
  char figures[160];
  std::snprintf(figures, sizeof figures, "(queue %zu, in flight %d, idle %d, offered %.2f, service %.3f ms)",
                decision.input.queue_depth, decision.input.in_flight, decision.input.idle, decision.input.offered_load,
                to_seconds(decision.input.service_time) * 1e3);
  std::string line = "#";
  line += std::to_string(decision.sequence) + " ";
  line += decision.policy.empty() ? "limits" : decision.policy;
  line += ": " + std::to_string(decision.input.live) + " -> " + std::to_string(decision.target) + ", ";
  line += std::string(to_string(decision.reason)) + " " + figures;
  if (decision.repeats > 0) line += " x" + std::to_string(decision.repeats + 1);
  return line;
}

bool DecisionLog::add(Decision decision) {
  if (!entries_.empty() && changes_nothing(decision) && changes_nothing(entries_.back()) &&
      entries_.back().reason == decision.reason && entries_.back().input.live == decision.input.live) {
    ++entries_.back().repeats;
    return false;
  }
  decision.sequence = next_++;
  entries_.push_back(std::move(decision));
  if (entries_.size() > capacity_) entries_.pop_front();
  return true;
}

}  // namespace optimux::pool
