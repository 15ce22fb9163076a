#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Reads the primary item's properties of a HEIF file (ISO/IEC 23008-12; `format` says whether AVIF or HEIC). The size
/// is that after the file's own rotation, because the decoder applies it; `orientation` is 1 for the same reason.
/// kBrokenMedia when a box reaches past the end, the primary item has no size, another item (tile, alpha, thumbnail)
/// is larger than it and than 2048x2048 pixels, or the frames of an AV1 or HEVC item, or the canvas of a grid, are
/// larger than the item; kLimitExceeded when there are more than 16,384 boxes on one level. Thus no part of a file
/// takes more to decode than its size tells. Pure.
base::Result<SourceHeader> read_heif_header(std::span<const std::byte> bytes, Format format);

}  // namespace optimux::media
