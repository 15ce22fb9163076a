#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Walks the segments of a JPEG (ITU-T T.81, annex B) up to the end of its first picture. kBrokenMedia when the size is
/// missing, a segment reaches past the end, or no end-of-image marker follows the last scan, which is how a file that
/// was cut off shows. kLimitExceeded when it has more than 1,024 marker segments. What follows the end marker (a gain
/// map, a second picture, garbage) is ignored. Pure.
base::Result<SourceHeader> read_jpeg_header(std::span<const std::byte> bytes);

}  // namespace optimux::media
