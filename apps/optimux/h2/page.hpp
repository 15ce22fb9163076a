#pragma once

#include "base/phase.hpp"
#include "http/stream_scheduler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace optimux::apps {

/// A picture of a page that is loaded over one connection.
struct PageImage {
  std::array<std::uint64_t, base::kPhases> ends{};  ///< Bytes up to the end of each phase; the last is its size.
  http::StreamPriority priority;
  double requested = 0;  ///< When the server has the request, in seconds.
  bool is_late = false;  ///< Not of the page as it was first, but wanted urgently in the middle of its load.

  std::uint64_t size() const { return ends.back(); }
};

/// A time in which the window of a picture's stream is shut.
struct BlockedSpan {
  std::size_t image = 0;
  double from = 0;   ///< Seconds.
  double until = 0;  ///< Seconds; after `from`.
};

/// What is loaded: pictures in the order of their requests, the late one last.
struct Page {
  std::vector<PageImage> images;
  std::vector<BlockedSpan> blocked;

  std::uint64_t size() const;
};

/// The line between server and client.
struct Link {
  double bytes_per_second = 375'000;
  double round_trip = 0.05;            ///< Seconds.
  std::uint64_t send_buffer = 16'384;  ///< Bytes that the server hands to the kernel ahead of the line.
};

/// What a page is made of.
struct PageShape {
  int images = 20;
  double mean_size = 90'000;     ///< Bytes of a picture.
  double size_variation = 0.6;   ///< Standard deviation of the sizes over their mean.
  double blocked = 0;            ///< Share of the pictures whose window is shut for a quarter of the load's time.
  bool has_late_request = true;  ///< A picture that is asked for urgently when half of the bytes are through.
};

/// A page of pictures as browsers ask for them. Sizes are lognormal. The head of a picture is 600 bytes, the first scan
/// ends at 10 to 15 % of it, the good part at 45 to 55 %: progressive JPEG. All are incremental; the first three have
/// the urgency 2, the late one 1, the others 3, with the weights of the same rank (what Chromium sends for pictures in
/// sight, wanted urgently, and others). The same seed gives the same page everywhere.
Page make_page(const PageShape& shape, const Link& link, std::uint64_t seed);

}  // namespace optimux::apps
