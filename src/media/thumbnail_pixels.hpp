#pragma once

#include <cstdint>
#include <vector>

#include "media/executor.hpp"
#include "media/media_limits.hpp"

namespace optimux::media {

/// 8-bit sRGB pixels, three bytes each, row after row.
struct RgbPixels {
  std::vector<std::uint8_t> rgb;
  int width = 0;
  int height = 0;
};

/// The first frame of a source in a box of `side` x `side` pixels, upright, on white, by the fast path. Errors as of
/// `Executor::render`.
base::Result<RgbPixels> thumbnail_pixels(const SourceBuffer& source, int side, const MediaLimits& limits,
                                         const OperationControl& control);

}  // namespace optimux::media
