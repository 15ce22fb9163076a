/// \file
/// Where a curve of throughput over pool size stops rising, as far as the noise lets one tell.
#pragma once

#include "advisor/curve.hpp"

#include <cstdint>
#include <string_view>

namespace optimux::pool::advisor {

/// What the curve says.
enum class Verdict : std::uint8_t {
  kPlateau,      ///< It stops rising at a size that was measured.
  kStillRising,  ///< It rises up to the largest size: the plateau, if there is one, lies beyond.
  kTooNoisy,     ///< The rounds differ so much that neither can be said.
};

/// "plateau", "still rising" or "too noisy".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// The end of the rise.
struct Plateau {
  Verdict verdict = Verdict::kTooNoisy;
  int workers = 1;       ///< The smallest size whose rate is within `noise` of the best; the largest while it rises.
  double rate = 0;       ///< Jobs a second there; median.
  double best_rate = 0;  ///< The best median of all sizes, jobs a second.
  int best_workers = 1;  ///< Its size.
  double noise = 0;      ///< Relative difference that two sizes may show by chance.
  double deviation = 0;  ///< Relative standard deviation of one round, robust, over all sizes.
};

/// The relative difference up to which two sizes count as equal, at least: clocks and turbo modes are no better.
inline constexpr double kSmallestNoise = 0.03;
/// Above this noise a size that does a fifth less than another cannot be told from it, and nothing is said, unless the
/// largest size is faster than all others by more than even that.
inline constexpr double kLargestNoise = 0.2;

/// Finds the plateau; `curve` as `validate` wants it. The noise is what the best of several equal sizes may stand above
/// another by chance: 3 x sqrt(2) x 1.2533 x deviation / sqrt(rounds) (1.2533 makes the standard error of a median from
/// that of a mean), but at least `kSmallestNoise`. A plateau needs a witness: a larger size at which growth in
/// proportion would have shown above the noise. Pure.
[[nodiscard]] Plateau find_plateau(const Curve& curve);

}  // namespace optimux::pool::advisor
