#include "advisor/curve.hpp"

#include "advisor/statistics.hpp"

#include <algorithm>

namespace optimux::pool::advisor {
namespace {

bool has_rates(const std::vector<double>& rates) {
  return rates.size() >= 3 && std::all_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
}

}  // namespace

double rate_of(const CurvePoint& point) {
  return median(point.rates);
}

std::optional<ConfigError> validate(const Measurements& measurements) {
  const Curve& curve = measurements.curve;
  if (measurements.cpus < 1) return ConfigError{"cpus", "must be at least 1"};
  if (!(measurements.job.wall > 0 && measurements.job.cpu >= 0)) return ConfigError{"job", "must take some time"};
  if (curve.size() < 3) return ConfigError{"sizes", "must be at least three"};
  if (curve.front().workers < 1) return ConfigError{"sizes", "must be at least 1"};
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i > 0 && curve[i].workers <= curve[i - 1].workers) return ConfigError{"sizes", "must ascend"};
    if (!has_rates(curve[i].rates)) return ConfigError{"rounds", "must be at least three, with jobs done in each"};
  }
  if (measurements.batched && !has_rates(measurements.batched->rates)) {
    return ConfigError{"rounds", "must be at least three, with jobs done in each"};
  }
  return std::nullopt;
}

}  // namespace optimux::pool::advisor
