#pragma once

#include <chrono>

namespace optimux::source {

/// How long to wait before the attempts after a first one that failed.
struct RetryDelays {
  std::chrono::milliseconds first{100};     ///< The longest wait before the first repetition; it doubles with each.
  std::chrono::milliseconds longest{2000};  ///< No wait is longer.
};

/// The wait before repetition number `repetition`, counted from 1. `chance`, in [0, 1), picks it evenly from zero to
/// the longest it may be ("full jitter"), so that clients that failed together do not come back together. Pure.
std::chrono::milliseconds retry_delay(const RetryDelays& delays, int repetition, double chance);

}  // namespace optimux::source
