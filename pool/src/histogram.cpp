#include "optimux/pool/histogram.hpp"

#include <utility>

namespace optimux::pool {

std::uint64_t RecentHistogram::middle_of(std::size_t bucket) {
  if (bucket < kSteps) return bucket;
  const auto exponent = static_cast<unsigned>(bucket >> kStepBits) - 1;
  const auto lowest = static_cast<std::uint64_t>((bucket & (kSteps - 1)) + kSteps) << exponent;
  return lowest + ((std::uint64_t{1} << exponent) >> 1);
}

Quantiles RecentHistogram::quantiles() const {
  Quantiles result;
  const std::array<std::pair<double, Duration*>, 3> wanted = {
      {{.5, &result.p50}, {.95, &result.p95}, {.99, &result.p99}}};
  std::size_t next = 0;
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets && seen < count(); ++bucket) {
    seen += current_[bucket] + previous_[bucket];
    while (next < wanted.size() && static_cast<double>(seen) >= wanted[next].first * static_cast<double>(count())) {
      *wanted[next++].second = Duration(static_cast<Duration::rep>(middle_of(bucket)));
    }
  }
  return result;
}

void RecentHistogram::rotate() {
  previous_ = current_;
  previous_count_ = std::exchange(current_count_, 0);
  current_.fill(0);
}

}  // namespace optimux::pool
