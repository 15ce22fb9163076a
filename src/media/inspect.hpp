#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/image_info.hpp"
#include "media/media_limits.hpp"

namespace optimux::media {

/// What the header of a source says, by our own parsers alone: no library sees the bytes. kUnsupportedMedia,
/// kBrokenMedia; kLimitExceeded for a frame over `max_frame_pixels`. Of a JPEG nothing is read behind the start of its
/// pixels: that it is cut off shows when it is rendered. Pure.
base::Result<ImageInfo> inspect_image(std::span<const std::byte> bytes, const MediaLimits& limits);

}  // namespace optimux::media
