#pragma once

#include "base/result.hpp"
#include "media/frame_selection.hpp"
#include "media/media_limits.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Checks the size of a source before any pixel of it is decoded. Frames before the selected ones count as decoded,
/// because they have to be. kLimitExceeded with a detail that names the field and the limit. Pure.
base::Status check_header_limits(const SourceHeader& header, const FrameSelection& frames, const MediaLimits& limits);

/// The part of it that holds for a header alone: pixels of one frame.
base::Status check_frame_pixels(const SourceHeader& header, const MediaLimits& limits);

}  // namespace optimux::media
