#include "simulator/shared_processor.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::simulator {
namespace {

// Times are whole nanoseconds, progress is not: what is done to within one has been done.
constexpr double kSlack = 1;

}  // namespace

double SharedProcessor::pace() const {
  return std::min(1.0, static_cast<double>(cpus_) / static_cast<double>(entries_.size()));
}

void SharedProcessor::add(std::uint64_t job, Duration work) {
  entries_.push({progress_ + static_cast<double>(work.count()), job});
}

TimePoint SharedProcessor::next_completion() const {
  if (entries_.empty()) return kNever;
  const double left = std::max(0.0, (entries_.top().done_at - progress_) / pace());
  return now_ + Duration(static_cast<Duration::rep>(std::ceil(left)));
}

void SharedProcessor::advance(TimePoint now) {
  if (!entries_.empty()) progress_ += static_cast<double>((now - now_).count()) * pace();
  now_ = now;
}

std::optional<std::uint64_t> SharedProcessor::take_completed() {
  if (entries_.empty() || entries_.top().done_at > progress_ + kSlack) return std::nullopt;
  const std::uint64_t job = entries_.top().job;
  entries_.pop();
  return job;
}

}  // namespace optimux::pool::simulator
