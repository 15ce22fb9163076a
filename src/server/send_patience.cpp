#include "server/send_patience.hpp"

#include <algorithm>

namespace optimux::server {

SendPatience::SendPatience(const Limits& limits) : limits_(limits), left_(limits.window), total_left_(limits.total) {}

void SendPatience::taken(std::uint64_t bytes) {
  // In floating point, since the nanoseconds of gigabytes at a byte a second do not fit an integer.
  const std::chrono::duration<double> earned(static_cast<double>(bytes) / static_cast<double>(limits_.min_rate));
  const std::chrono::duration<double> missing = limits_.window - left_;
  const bool is_full = limits_.min_rate == 0 || earned >= missing;
  left_ = is_full ? Clock::duration(limits_.window) : left_ + std::chrono::duration_cast<Clock::duration>(earned);
}

SendPatience::Clock::time_point SendPatience::end_of(Clock::time_point now) const {
  return now + (limits_.total.count() > 0 ? std::min(left_, total_left_) : left_);
}

void SendPatience::waited(Clock::duration time) {
  left_ -= time;
  total_left_ -= time;
}

}  // namespace optimux::server
