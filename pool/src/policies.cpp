#include "optimux/pool/policies.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool {
namespace {

std::optional<ConfigError> require(bool holds, const char* field, const char* message) {
  if (holds) return std::nullopt;
  return ConfigError{field, message};
}

// A number of workers that has come out of floating point: far above any pool it means "as many as there may be".
int as_workers(double workers) {
  return static_cast<int>(std::ceil(std::min(workers, 1e6)));
}

}  // namespace

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kSteady: return "steady";
    case Reason::kQueueLong: return "queue long";
    case Reason::kQueueShort: return "queue short";
    case Reason::kCooldown: return "cooldown";
    case Reason::kLoadRose: return "load rose";
    case Reason::kLoadFell: return "load fell";
    case Reason::kDeadBand: return "dead band";
    case Reason::kRecentPeak: return "recent peak";
    case Reason::kColdStart: return "cold start";
    case Reason::kNobodyIdle: return "nobody idle";
    case Reason::kIdleTooLong: return "idle too long";
    case Reason::kFixed: return "fixed";
    case Reason::kCustom: return "custom";
    case Reason::kGated: return "gated";
    case Reason::kAtMax: return "at max";
    case Reason::kAtMin: return "at min";
    case Reason::kFloorRefill: return "floor refill";
    case Reason::kLimitLowered: return "limit lowered";
    case Reason::kJobsWaiting: return "jobs waiting";
    case Reason::kStartBackoff: return "start back-off";
    case Reason::kPolicyFailed: return "policy failed";
  }
  return "unknown";
}

std::optional<ConfigError> Policy::validate(const Limits& /*limits*/) const {
  return std::nullopt;
}

std::optional<ConfigError> QueueLengthPolicy::validate(const Limits& limits) const {
  if (options_.scale_down_threshold == 0) {
    return ConfigError{"policy.scale_down_threshold", "must be at least 1: a queue is never shorter than 0"};
  }
  if (options_.scale_up_threshold >= limits.queue_capacity) {
    return ConfigError{
        "policy.scale_up_threshold",
        "must be below queue_capacity (" + std::to_string(limits.queue_capacity) + "), or the pool could never grow"};
  }
  if (auto error = require(options_.scale_down_threshold <= options_.scale_up_threshold, "policy.scale_down_threshold",
                           "must not be above scale_up_threshold")) {
    return error;
  }
  if (auto error = require(options_.check_interval > Duration::zero(), "policy.check_interval", "must be above 0")) {
    return error;
  }
  return require(options_.cooldown >= Duration::zero(), "policy.cooldown", "must not be negative");
}

Verdict QueueLengthPolicy::decide(const Snapshot& snapshot, TimePoint now) const {
  const int live = snapshot.live;
  const bool has_scaled = snapshot.last_scaled_at != TimePoint{};
  if (has_scaled && now - snapshot.last_scaled_at < options_.cooldown) return {live, Reason::kCooldown, live};
  if (snapshot.queue_depth > options_.scale_up_threshold) return {live + 1, Reason::kQueueLong, live + 1};
  if (snapshot.queue_depth < options_.scale_down_threshold) return {live - 1, Reason::kQueueShort, live - 1};
  return {live, Reason::kSteady, live};
}

std::optional<ConfigError> SpawnOnSubmitPolicy::validate(const Limits& /*limits*/) const {
  if (auto error = require(options_.idle_time > Duration::zero(), "policy.idle_time", "must be above 0")) return error;
  return require(options_.check_interval > Duration::zero(), "policy.check_interval", "must be above 0");
}

Verdict SpawnOnSubmitPolicy::decide(const Snapshot& snapshot, TimePoint /*now*/) const {
  const int live = snapshot.live;
  const auto unmet = std::min<std::uint64_t>(snapshot.unmet_submits, snapshot.queue_depth);
  if (unmet > 0) {
    const int target = live + static_cast<int>(std::min<std::uint64_t>(unmet, 1'000'000));
    return {target, Reason::kNobodyIdle, target};
  }
  if (snapshot.longest_idle >= options_.idle_time) return {live - 1, Reason::kIdleTooLong, live - 1};
  return {live, Reason::kSteady, live};
}

std::optional<ConfigError> LittlePolicy::validate(const Limits& /*limits*/) const {
  const Options& o = options_;
  if (auto error =
          require(o.utilisation > 0 && o.utilisation <= 1, "policy.utilisation", "must be above 0 and at most 1")) {
    return error;
  }
  if (auto error = require(o.drain_time > Duration::zero(), "policy.drain_time", "must be above 0")) return error;
  if (auto error = require(o.dead_band >= 0 && o.dead_band < 1, "policy.dead_band", "must be 0 or more and below 1")) {
    return error;
  }
  if (auto error = require(o.largest_shrink > 0 && o.largest_shrink <= 1, "policy.largest_shrink",
                           "must be above 0 and at most 1")) {
    return error;
  }
  if (auto error = require(o.collapse >= 0 && o.collapse < 1, "policy.collapse", "must be 0 or more and below 1")) {
    return error;
  }
  return validate_times();
}

std::optional<ConfigError> LittlePolicy::validate_times() const {
  const Options& o = options_;
  if (auto error = require(o.check_interval > Duration::zero(), "policy.check_interval", "must be above 0")) {
    return error;
  }
  if (auto error = require(o.settle_time >= Duration::zero(), "policy.settle_time", "must not be negative")) {
    return error;
  }
  if (auto error = require(o.stable_window >= Duration::zero(), "policy.stable_window", "must not be negative")) {
    return error;
  }
  return require(o.collapse_window >= o.check_interval, "policy.collapse_window",
                 "must not be below check_interval, or nothing would be seen within it");
}

Verdict LittlePolicy::decide(const Snapshot& snapshot, TimePoint /*now*/) const {
  if (snapshot.service_time <= Duration::zero()) return decide_cold(snapshot);
  const double waiting_work = static_cast<double>(snapshot.queue_depth) * to_seconds(snapshot.service_time);
  const double need = snapshot.offered_load / options_.utilisation + waiting_work / to_seconds(options_.drain_time);
  const bool all_overrun = snapshot.queue_depth > 0 && snapshot.overrunning >= snapshot.live;
  const int desired = std::max(as_workers(need), all_overrun ? snapshot.live + 1 : 0);
  const double live = snapshot.live;
  if (all_overrun || need > live * (1 + options_.dead_band)) return {desired, Reason::kLoadRose, desired};
  if (need >= live * (1 - options_.dead_band)) return {snapshot.live, Reason::kDeadBand, desired};
  return shrink(snapshot, desired);
}

// Without a service time there is no load to compute: one more worker for each waiting job, at most doubling a step.
Verdict LittlePolicy::decide_cold(const Snapshot& snapshot) const {
  const int live = snapshot.live;
  const int at_work = snapshot.in_flight + static_cast<int>(std::min<std::size_t>(snapshot.queue_depth, 1'000'000));
  if (at_work > live) {
    const int target = std::min(at_work, 2 * std::max(live, 1));
    return {target, Reason::kColdStart, target};
  }
  if (at_work < live) return shrink(snapshot, at_work);
  return {live, Reason::kSteady, at_work};
}

Verdict LittlePolicy::shrink(const Snapshot& snapshot, int desired) const {
  const int live = snapshot.live;
  const int latest = std::max(desired, snapshot.latest_peak);
  const bool collapsed = latest <= live * options_.collapse;
  const int floor = collapsed ? latest : std::max(desired, snapshot.recent_peak);
  if (floor >= live) return {live, Reason::kRecentPeak, desired};
  const int largest = std::max(1, static_cast<int>(live * options_.largest_shrink));
  return {std::max(floor, live - largest), Reason::kLoadFell, desired};
}

std::optional<ConfigError> FixedPolicy::validate(const Limits& limits) const {
  if (workers_ >= limits.min_workers && workers_ <= limits.max_workers) return std::nullopt;
  return ConfigError{"policy.workers", std::to_string(workers_) + " is not within min_workers (" +
                                           std::to_string(limits.min_workers) + ") and max_workers (" +
                                           std::to_string(limits.max_workers) + ")"};
}

Verdict FixedPolicy::decide(const Snapshot& /*snapshot*/, TimePoint /*now*/) const {
  return {workers_, Reason::kFixed, workers_};
}

}  // namespace optimux::pool
