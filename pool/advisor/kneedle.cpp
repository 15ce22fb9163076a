#include "advisor/kneedle.hpp"

#include "advisor/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace optimux::pool::advisor {
namespace {

constexpr double kSensitivity = 1;
// A straight line with noise has bumps; a knee less far above the diagonal than this is one of them.
constexpr double kSmallestDistance = 0.1;

std::vector<double> to_unit(const std::vector<double>& values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double span = *highest - *lowest;
  std::vector<double> scaled;
  scaled.reserve(values.size());
  for (const double value : values) scaled.push_back(span > 0 ? (value - *lowest) / span : 0);
  return scaled;
}

// The curve's height above the diagonal, both axes scaled to 0..1.
std::vector<double> differences(const Curve& curve) {
  std::vector<double> sizes;
  std::vector<double> rates;
  for (const CurvePoint& point : curve) {
    sizes.push_back(point.workers);
    rates.push_back(rate_of(point));
  }
  const std::vector<double> x = to_unit(sizes);
  std::vector<double> difference = to_unit(rates);
  for (std::size_t i = 0; i < x.size(); ++i) difference[i] -= x[i];
  return difference;
}

bool is_summit(const std::vector<double>& difference, std::size_t i) {
  return difference[i] > difference[i - 1] && difference[i] >= difference[i + 1];
}

// A summit is a knee if the curve falls below its threshold before it climbs to another summit.
bool falls_below(const std::vector<double>& difference, std::size_t summit, double threshold) {
  for (std::size_t i = summit + 1; i < difference.size(); ++i) {
    if (difference[i] < threshold) return true;
    if (i + 1 < difference.size() && is_summit(difference, i)) return false;
  }
  return false;
}

double broken_line_error(const Curve& curve, int knee) {
  std::vector<double> roofs;
  for (const CurvePoint& point : curve) {
    if (point.workers >= knee) roofs.push_back(rate_of(point));
  }
  const double roof = median(std::move(roofs));
  double squares = 0;
  for (const CurvePoint& point : curve) {
    const double expected = roof * std::min(1.0, static_cast<double>(point.workers) / knee);
    squares += std::pow(expected / rate_of(point) - 1, 2);
  }
  return std::sqrt(squares / static_cast<double>(curve.size()));
}

}  // namespace

std::optional<Knee> find_knee(const Curve& curve) {
  const std::vector<double> difference = differences(curve);
  const double mean_step = 1.0 / static_cast<double>(curve.size() - 1);
  std::optional<Knee> knee;
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    if (!is_summit(difference, i) || difference[i] < kSmallestDistance) continue;
    if (!falls_below(difference, i, difference[i] - kSensitivity * mean_step)) continue;
    knee = Knee{curve[i].workers, difference[i], broken_line_error(curve, curve[i].workers)};
  }
  return knee;
}

}  // namespace optimux::pool::advisor
