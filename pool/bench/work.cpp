#include "work.hpp"

#include <algorithm>
#include <chrono>

namespace optimux::pool::bench {

std::uint32_t steps_for(double nanoseconds) {
  constexpr std::uint32_t kSample = 1'000'000;
  double shortest = 1e12;  // the sample that was disturbed least
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    burn(kSample);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, took.count());
  }
  return static_cast<std::uint32_t>(nanoseconds / shortest * kSample);
}

}  // namespace optimux::pool::bench
