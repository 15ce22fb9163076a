/// \file
/// The work that the jobs of the benchmarks do: arithmetic, and nothing that threads could share.
#pragma once

#include <cstdint>

namespace optimux::pool::bench {

/// Computes for `steps` steps; 0 returns at once.
inline void burn(std::uint32_t steps) {
  std::uint64_t value = steps;
  for (std::uint32_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));  // the result is not used: keeps the compiler from leaving the loop out
  }
}

/// How many steps take about `nanoseconds` on one CPU of this machine at this moment. Blocks for some milliseconds.
[[nodiscard]] std::uint32_t steps_for(double nanoseconds);

}  // namespace optimux::pool::bench
