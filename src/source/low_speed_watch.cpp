#include "source/low_speed_watch.hpp"

namespace optimux::source {

LowSpeedWatch::LowSpeedWatch(std::uint64_t bytes_per_second, std::chrono::seconds time)
    : time_(time), bytes_wanted_(bytes_per_second * static_cast<std::uint64_t>(time.count())) {}

void LowSpeedWatch::arrived(std::uint64_t bytes, Clock::time_point now) {
  if (bytes_wanted_ == 0) return;
  bytes_ += bytes;
  if (end_ && bytes_ < bytes_wanted_) return;
  end_ = now + time_;
  if (bytes_ >= bytes_wanted_) bytes_ = 0;
}

}  // namespace optimux::source
