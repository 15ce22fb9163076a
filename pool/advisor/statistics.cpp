#include "advisor/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace optimux::pool::advisor {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t upper = values.size() / 2;
  return values.size() % 2 == 1 ? values[upper] : (values[upper - 1] + values[upper]) / 2;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::clamp(std::ceil(share * count), 1.0, count));
  return values[rank - 1];
}

double relative_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  if (values.size() < 2 || middle == 0) return 0;
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return 1.4826 * median(std::move(distances)) / std::abs(middle);
}

}  // namespace optimux::pool::advisor
