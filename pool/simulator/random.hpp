/// \file
/// Random numbers that are the same everywhere. The distributions of the standard library are not: each implementation
/// may draw them as it likes.
#pragma once

#include <array>
#include <cstdint>

namespace optimux::pool::simulator {

/// The generator xoshiro256** of Blackman and Vigna ("Scrambled Linear Pseudorandom Number Generators", ACM TOMS 2021),
/// its state filled by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) as its authors advise. Equal seeds give equal
/// sequences. Not for secrets, not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  /// All 64 bits are random.
  std::uint64_t next();
  /// From 0 up to, but never, 1; 53 random bits.
  double uniform();
  /// Exponentially distributed, as the time between the arrivals of a Poisson stream; `mean` is above 0.
  double exponential(double mean);
  /// Normally distributed with mean 0 and variance 1 (Box and Muller 1958, the first of each pair).
  double normal();
  /// Lognormally distributed with the given mean (above 0) and coefficient of variation (standard deviation over mean,
  /// 0 or more). Times of CPU-bound jobs look like that: never negative, with a tail to the right.
  double lognormal(double mean, double variation);

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace optimux::pool::simulator
