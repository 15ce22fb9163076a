#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Walks the segments of a JPEG (ITU-T T.81, annex B) up to its first scan or to the end of its first picture.
/// kBrokenMedia when the size is missing, a segment reaches past the end, or (with `ReadTo::kEnd`) no end-of-image
/// marker follows the last scan, which is how a file that was cut off shows. kLimitExceeded when it has more than 1,024
/// marker segments, or more than 100 scans, of which a picture of 15 megapixels or more may have fewer, down to 30 from
/// 50 megapixels on. What follows the end marker (a gain map, a second picture, garbage) is ignored, and so is metadata
/// behind a scan, as decoders do. Pure.
base::Result<SourceHeader> read_jpeg_header(std::span<const std::byte> bytes, ReadTo to = ReadTo::kEnd);

/// A copy of a JPEG whose header says `may_warn` that decodes to the same pixels without a warning, so that every
/// warning that is left means damage: bytes that belong to no segment become fill bytes, and fields that decoders
/// disbelieve get the values that they assume. Pure.
std::vector<std::byte> mend_jpeg(std::span<const std::byte> bytes);

}  // namespace optimux::media
