#pragma once

#include "apps/optimux/h2/page.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace optimux::apps {

/// When the client has all bytes up to the end of each phase of a picture, in seconds from the begin of the load.
using PhaseTimes = std::array<double, base::kPhases>;

/// What there is to compare, the default first.
inline constexpr std::array kAllPolicies = {http::SchedulingPolicy::kPhases, http::SchedulingPolicy::kRfc9218,
                                            http::SchedulingPolicy::kFair, http::SchedulingPolicy::kFifo};

/// How a page came in.
struct PageLoad {
  http::SchedulingPolicy policy = http::SchedulingPolicy::kPhases;
  std::vector<PhaseTimes> images;  ///< As in the page.
  std::uint64_t frames = 0;        ///< DATA frames sent.
  std::uint64_t bytes = 0;         ///< Bytes on the line, frame headers included.
  double end = 0;                  ///< When the last byte arrives, in seconds.
};

/// Loads `page` over `link`, in virtual time. The scheduler is the server's own; the line is simulated: it sends one
/// byte after another, no faster than its rate, and what was handed over is sent in that order. A turn is taken when
/// the kernel holds so little that the frame fits into `send_buffer`, or nothing at all. All bytes of a picture are
/// there when its request is. The same arguments give the same result, always.
PageLoad load_page(const Page& page, const Link& link, http::SchedulingPolicy policy);

}  // namespace optimux::apps
