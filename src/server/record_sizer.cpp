#include "server/record_sizer.hpp"

namespace optimux::server {

std::size_t RecordSizer::limit(Clock::time_point now) const {
  if (fixed_ > 0) return fixed_;
  return written_ < kSmallUpTo || was_idle(now) ? kSmall : kLargest;
}

void RecordSizer::wrote(std::size_t bytes, Clock::time_point now) {
  if (was_idle(now)) written_ = 0;
  written_ += bytes;
  last_write_ = now;
}

}  // namespace optimux::server
