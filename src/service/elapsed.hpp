#pragma once

#include <chrono>

#include "base/deadline.hpp"

namespace optimux::service {

/// The time from `begin` until now, as timings tell it.
inline std::chrono::microseconds since(base::Deadline::Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(base::Deadline::Clock::now() - begin);
}

}  // namespace optimux::service
