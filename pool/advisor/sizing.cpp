#include "advisor/sizing.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::advisor {
namespace {

constexpr double kMostWorkers = 1'000'000;

// 0.1 x 30 is a little more than 3 in binary; nobody wants a fourth worker for it.
int whole_workers(double workers) {
  return std::max(1, static_cast<int>(std::ceil(workers * (1 - 1e-12))));
}

std::optional<ConfigError> out_of_range(const Demand& demand) {
  if (!(demand.rate > 0 && demand.rate <= 1e9)) return ConfigError{"rate", "must be above 0 and at most 1e9 a second"};
  if (!(demand.latency > 0 && demand.latency <= 1e6)) {
    return ConfigError{"latency", "must be above 0 and at most 1e6 seconds"};
  }
  if (!(demand.headroom >= 1 && demand.headroom <= 100)) return ConfigError{"headroom", "must be from 1 to 100"};
  if (demand.limit < 0 || demand.limit > kMostWorkers) return ConfigError{"limit", "must be from 0 to 1000000"};
  return std::nullopt;
}

}  // namespace

Made<Sizing> size_for(const Demand& demand) {
  if (auto error = out_of_range(demand)) return *std::move(error);
  Sizing sizing;
  sizing.busy = demand.rate * demand.latency;
  const double wanted = sizing.busy * demand.headroom;
  if (wanted > kMostWorkers) return ConfigError{"rate", "times latency asks for more than 1000000 workers"};
  sizing.wanted = whole_workers(wanted);
  sizing.is_limited = demand.limit > 0 && sizing.wanted > demand.limit;
  sizing.workers = sizing.is_limited ? demand.limit : sizing.wanted;
  sizing.reachable_rate = sizing.workers / demand.latency;
  sizing.is_reachable = sizing.reachable_rate >= demand.rate * (1 - 1e-12);
  return sizing;
}

}  // namespace optimux::pool::advisor
