/// \file
/// Quantiles of recent durations in constant memory.
#pragma once

#include "optimux/pool/snapshot.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace optimux::pool {

/// Counts durations in buckets of which sixteen cover each doubling (the layout of HdrHistogram), so that a quantile is
/// right to within about 3 %. It forgets: `rotate` drops what is older than the rotation before the last. Not
/// thread-safe.
class RecentHistogram {
 public:
  /// Adds one duration; negative ones count as 0. Takes constant time.
  void add(Duration duration) {
    const auto value = duration.count() > 0 ? static_cast<std::uint64_t>(duration.count()) : 0;
    ++current_[bucket_of(value)];
    ++current_count_;
  }

  /// For each of three shares, the smallest duration that so many of the recent ones do not exceed; 0 when there are
  /// none. About a microsecond.
  [[nodiscard]] Quantiles quantiles() const;

  /// How many durations the quantiles stand on.
  [[nodiscard]] std::uint64_t count() const { return current_count_ + previous_count_; }

  /// Starts a new generation; the one before it still counts, older ones do not.
  void rotate();

 private:
  static constexpr unsigned kStepBits = 4;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr std::size_t kBuckets = (64 - kStepBits) * kSteps;
  using Buckets = std::array<std::uint32_t, kBuckets>;

  static constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < kSteps) return static_cast<std::size_t>(value);
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - kStepBits - 1;
    return (exponent << kStepBits) + static_cast<std::size_t>(value >> exponent);
  }
  static std::uint64_t middle_of(std::size_t bucket);

  Buckets current_{};
  Buckets previous_{};
  std::uint64_t current_count_ = 0;
  std::uint64_t previous_count_ = 0;
};

}  // namespace optimux::pool
