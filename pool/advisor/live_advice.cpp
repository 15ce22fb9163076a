#include "advisor/live_advice.hpp"

#include "advisor/advice.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::advisor {
namespace {

// As `LittlePolicy`: workers are to be busy for this share of their time, and a queue to be gone within so long.
constexpr double kUtilisation = 0.8;
constexpr double kDrainSeconds = 1;
constexpr double kMostWorkers = 1'000'000;

double service_seconds(const Snapshot& snapshot) {
  return to_seconds(snapshot.service_time > Duration::zero() ? snapshot.service_time : snapshot.run_time);
}

int wanted_workers(const Snapshot& snapshot, double busy) {
  const double for_queue = static_cast<double>(snapshot.queue_depth) * service_seconds(snapshot) / kDrainSeconds;
  const double wanted = std::ceil(busy / kUtilisation + for_queue - 1e-9);
  return static_cast<int>(std::clamp(wanted, 1.0, kMostWorkers));
}

LiveVerdict verdict_of(const Snapshot& snapshot, const LiveAdvice& advice, const GateAnswer& gate) {
  if (service_seconds(snapshot) <= 0) return LiveVerdict::kIdle;
  const bool is_held = snapshot.queue_depth > 0 && snapshot.live > 0 && snapshot.overrunning >= snapshot.live;
  if (is_held) return LiveVerdict::kStuckJobs;
  if (advice.busy <= 0 && snapshot.queue_depth == 0 && snapshot.in_flight == 0) return LiveVerdict::kIdle;
  if (advice.workers <= std::min(snapshot.max_workers, gate.useful_workers)) return LiveVerdict::kRight;
  return snapshot.max_workers < gate.useful_workers ? LiveVerdict::kRaiseCap : LiveVerdict::kAddCpus;
}

std::string load_text(const Snapshot& snapshot, const LiveAdvice& advice) {
  std::string text = format_rate(snapshot.arrival_rate) + " jobs/s x " + format_seconds(service_seconds(snapshot)) +
                     " keep " + format_rate(advice.busy) + " workers busy";
  if (snapshot.queue_depth > 0) text += ", and " + std::to_string(snapshot.queue_depth) + " jobs wait";
  return text + ": " + std::to_string(advice.workers) + (advice.workers == 1 ? " worker" : " workers") + " wanted. ";
}

std::string conclusion(const Snapshot& snapshot, const LiveAdvice& advice, const GateAnswer& gate) {
  const std::string cap = std::to_string(snapshot.max_workers);
  switch (advice.verdict) {
    case LiveVerdict::kIdle: return "No jobs have been seen lately; there is nothing to advise on.";
    case LiveVerdict::kRight: return "Up to " + cap + " are allowed: leave the limits as they are.";
    case LiveVerdict::kRaiseCap:
      return "Only " + cap + " are allowed: raise the cap to " +
             std::to_string(std::min(advice.workers, gate.useful_workers)) + ".";
    case LiveVerdict::kAddCpus:
      return "More than " + std::to_string(gate.useful_workers) +
             " would only share the CPUs: add CPUs or machines, cache more, or ask for smaller renditions.";
    case LiveVerdict::kStuckJobs:
      return "All workers are held by jobs that run far longer than usual: look for what they wait for.";
  }
  return "";
}

}  // namespace

std::string_view to_string(LiveVerdict verdict) {
  switch (verdict) {
    case LiveVerdict::kIdle: return "idle";
    case LiveVerdict::kRight: return "right";
    case LiveVerdict::kRaiseCap: return "raise the cap";
    case LiveVerdict::kAddCpus: return "add CPUs";
    case LiveVerdict::kStuckJobs: return "stuck jobs";
  }
  return "";
}

LiveAdvice advise(const Snapshot& snapshot, const GateAnswer& gate) {
  LiveAdvice advice;
  advice.is_gated = gate.closed;
  advice.busy = snapshot.arrival_rate * service_seconds(snapshot);
  const int available = std::max(1, std::min(snapshot.max_workers, gate.useful_workers));
  advice.utilisation = advice.busy / available;
  advice.workers = wanted_workers(snapshot, advice.busy);
  advice.verdict = verdict_of(snapshot, advice, gate);
  const bool has_figures = advice.verdict != LiveVerdict::kIdle;
  if (!has_figures) advice.workers = 0;
  advice.text = (has_figures ? load_text(snapshot, advice) : "") + conclusion(snapshot, advice, gate);
  return advice;
}

}  // namespace optimux::pool::advisor
