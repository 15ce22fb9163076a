#pragma once

#include <cstddef>
#include <span>

namespace optimux::media {

/// The orientation (1 to 8) of an EXIF block, which is a TIFF structure (Exif 2.32, section 4.6); a leading `Exif\0\0`
/// is skipped. 1 when there is none or the block is damaged: bad metadata never makes a picture unreadable. Pure.
int exif_orientation(std::span<const std::byte> exif);

}  // namespace optimux::media
