#pragma once

#include <cstdint>

namespace optimux::media {

/// Checked from the header, before any pixel is decoded. Exceeding one is kLimitExceeded with a detail that names the
/// field and the limit. Every field is a configuration key of the same name.
struct MediaLimits {
  std::int64_t max_frame_pixels = 50'000'000;   ///< Pixels of one frame or page of the source.
  std::int64_t max_total_pixels = 100'000'000;  ///< Pixels of all frames that are decoded.
  int max_frames = 256;                         ///< Frames that are decoded.
  int max_output_side = 16'384;                 ///< Pixels of one side of a rendition.
  std::int64_t max_output_pixels = 50'000'000;  ///< Pixels of one rendition, all frames together.
};

}  // namespace optimux::media
