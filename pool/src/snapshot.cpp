#include "optimux/pool/snapshot.hpp"

#include <algorithm>

namespace optimux::pool {

Duration expected_wait(const Snapshot& snapshot) {
  if (static_cast<std::size_t>(snapshot.idle) > snapshot.queue_depth) return Duration::zero();
  const int workers = std::max(snapshot.live, snapshot.most_live);
  const std::size_t at_work = snapshot.queue_depth + static_cast<std::size_t>(snapshot.in_flight);
  // A retiring worker that has not left yet is busy, with one of the jobs in flight.
  if (at_work < static_cast<std::size_t>(snapshot.most_live) + static_cast<std::size_t>(snapshot.retiring))
    return Duration::zero();
  const int steady = workers - snapshot.overrunning;
  const Duration run_time = steady > 0 ? snapshot.run_time : std::max(snapshot.run_time, snapshot.in_flight_age);
  const double rounds = static_cast<double>(snapshot.queue_depth + 1) / std::max(steady > 0 ? steady : workers, 1);
  return from_seconds(to_seconds(run_time) * rounds);
}

}  // namespace optimux::pool
