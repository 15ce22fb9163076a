#include "optimux/pool/controller.hpp"

#include <algorithm>
#include <tuple>

namespace optimux::pool {

void Controller::Memory::fill(Snapshot& snapshot) const {
  snapshot.recent_peak = recent_peak;
  snapshot.latest_peak = latest_peak;
  snapshot.last_scaled_at = last_scaled_at;
  // Fewer where the load was read before the latest decision: `snapshot` does so beside a running `step`.
  const std::uint64_t found = snapshot.counters.found_nobody_idle;
  snapshot.unmet_submits = found > unmet_seen ? found - unmet_seen : 0;
}

Controller::Memory Controller::memory() const {
  return {peaks_.empty() ? 0 : peaks_.front().second, latest_peak_, last_scaled_at_, unmet_seen_, growth_limit_};
}

void Controller::forget_peaks(TimePoint now) {
  while (!peaks_.empty() && peaks_.front().first + policy_->peak_window() < now) peaks_.pop_front();
  const auto latest = std::find_if(peaks_.begin(), peaks_.end(),
                                   [&](const auto& peak) { return peak.first + policy_->short_peak_window() >= now; });
  latest_peak_ = latest == peaks_.end() ? 0 : latest->second;
}

bool Controller::is_due(const Snapshot& snapshot, TimePoint now) const {
  return now >= next_at_ || (policy_->reacts_to_submits() && snapshot.unmet_submits > 0);
}

std::optional<Decision> Controller::decide(Snapshot snapshot, TimePoint now) {
  forget_peaks(now);
  memory().fill(snapshot);
  Decision decision;
  decision.at = now;
  decision.input = snapshot;
  decision.verdict = {snapshot.live, Reason::kSteady, snapshot.live};
  decision.target = snapshot.live;
  const bool due = is_due(snapshot, now);
  if (due) ask_policy(decision, now);
  keep_window(decision, now);
  keep_limits(decision);
  keep_gate(decision);
  remember(decision, now);
  if (!due && decision.target == snapshot.live) return std::nullopt;
  return decision;
}

void Controller::ask_policy(Decision& decision, TimePoint now) {
  const Snapshot& input = decision.input;
  decision.policy = policy_->name();
  try {
    decision.verdict = policy_->decide(input, now);
  } catch (...) {
    decision.verdict = {input.live, Reason::kPolicyFailed, input.live};
  }
  decision.target = decision.verdict.target;
  decision.reason = decision.verdict.reason;
  next_at_ = now + policy_->interval();
  unmet_seen_ = input.counters.found_nobody_idle;
  growth_limit_ = std::numeric_limits<int>::max();  // a gate is asked anew for every growth
  while (!peaks_.empty() && peaks_.back().second <= decision.verdict.desired) peaks_.pop_back();
  peaks_.emplace_back(now, decision.verdict.desired);
}

// I11, whatever the policy: no shrinking soon after a growth.
void Controller::keep_window(Decision& decision, TimePoint now) const {
  if (decision.target >= decision.input.live || last_grown_at_ == TimePoint{}) return;
  if (now - last_grown_at_ >= policy_->window()) return;
  decision.target = decision.input.live;
  decision.reason = Reason::kRecentPeak;
}

void Controller::keep_limits(Decision& decision) {
  const Snapshot& input = decision.input;
  const auto override_with = [&](int target, Reason reason) {
    decision.target = target;
    decision.reason = reason;
  };
  if (decision.target > input.max_workers) {
    override_with(input.max_workers, input.live > input.max_workers ? Reason::kLimitLowered : Reason::kAtMax);
  }
  if (decision.target < input.min_workers) {
    override_with(input.min_workers, input.live < input.min_workers ? Reason::kFloorRefill : Reason::kAtMin);
  }
  if (decision.target == 0 && input.queue_depth > 0) override_with(1, Reason::kJobsWaiting);
}

// The floor, and the first worker for jobs that wait, pass a closed gate: without them nothing would ever open it.
void Controller::keep_gate(Decision& decision) {
  const Snapshot& input = decision.input;
  const int exempt = std::max(input.live, std::max(input.min_workers, input.queue_depth > 0 ? 1 : 0));
  if (decision.target <= exempt) return;
  try {
    decision.gate = gate_.check(input);
  } catch (...) {
    decision.gate = {true, exempt};
    decision.reason = Reason::kPolicyFailed;
  }
  const int allowed = decision.gate.closed ? exempt : std::max(exempt, decision.gate.useful_workers);
  growth_limit_ = allowed;
  if (decision.target <= allowed) return;
  decision.target = allowed;
  if (decision.reason != Reason::kPolicyFailed) decision.reason = Reason::kGated;
}

void Controller::forget_growth() {
  if (before_growth_) std::tie(last_scaled_at_, last_grown_at_) = *std::exchange(before_growth_, std::nullopt);
}

void Controller::remember(const Decision& decision, TimePoint now) {
  before_growth_.reset();
  const bool forced = decision.reason == Reason::kFloorRefill || decision.reason == Reason::kLimitLowered;
  if (decision.target == decision.input.live || forced) return;
  const bool grows = decision.target > decision.input.live;
  if (grows) before_growth_ = {last_scaled_at_, last_grown_at_};
  last_scaled_at_ = now;
  if (grows) last_grown_at_ = now;
}

}  // namespace optimux::pool
