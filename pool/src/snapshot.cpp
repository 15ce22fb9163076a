#include "optimux/pool/snapshot.hpp"

#include <algorithm>

namespace optimux::pool {

Duration expected_wait(const Snapshot& snapshot) {
  if (static_cast<std::size_t>(snapshot.idle) > snapshot.queue_depth) return Duration::zero();
  const Duration run_time = std::max(snapshot.run_time, snapshot.in_flight_age);
  const double rounds = static_cast<double>(snapshot.queue_depth + 1) / std::max(snapshot.live, 1);
  return from_seconds(to_seconds(run_time) * rounds);
}

}  // namespace optimux::pool
