#pragma once

#include "media/byte_feed.hpp"
#include "media/phase_scanner.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// The phases of an AVIF or HEIC file (ISO/IEC 23008-12), as `PhaseScanner` tells them. `in` and `found` must outlive
/// the reader.
FeedReader find_heif_phases(ByteFeed& in, PhaseFindings& found);

}  // namespace optimux::media
