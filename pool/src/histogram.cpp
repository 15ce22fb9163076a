#include "optimux/pool/histogram.hpp"

#include <cmath>

namespace optimux::pool {

std::uint64_t RecentHistogram::middle_of(std::size_t bucket) {
  if (bucket < kSteps) return bucket;
  const auto exponent = static_cast<unsigned>(bucket >> kStepBits) - 1;
  const auto lowest = static_cast<std::uint64_t>((bucket & (kSteps - 1)) + kSteps) << exponent;
  return lowest + ((std::uint64_t{1} << exponent) >> 1);
}

std::uint64_t RecentHistogram::count() const {
  std::uint64_t total = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) total += current_[bucket] + previous_[bucket];
  return total;
}

Duration RecentHistogram::quantile(double share) const {
  const std::uint64_t total = count();
  if (total == 0) return Duration::zero();
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += current_[bucket] + previous_[bucket];
    if (seen >= wanted && seen > 0) return Duration(static_cast<Duration::rep>(middle_of(bucket)));
  }
  return Duration::zero();
}

void RecentHistogram::rotate() {
  previous_ = current_;
  current_.fill(0);
}

}  // namespace optimux::pool
