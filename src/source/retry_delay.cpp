#include "source/retry_delay.hpp"

#include <algorithm>

namespace optimux::source {

std::chrono::milliseconds retry_delay(const RetryDelays& delays, int repetition, double chance) {
  auto most = std::min(delays.first, delays.longest);
  for (int i = 1; i < repetition && most < delays.longest; ++i) most = std::min(most * 2, delays.longest);
  return std::chrono::milliseconds(
      static_cast<std::chrono::milliseconds::rep>(chance * static_cast<double>(most.count())));
}

}  // namespace optimux::source
