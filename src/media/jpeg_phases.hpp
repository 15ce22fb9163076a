#pragma once

#include "media/byte_feed.hpp"
#include "media/phase_scanner.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// The phases of a JPEG (ITU-T T.81), as `PhaseScanner` tells them. Reads a progressive one to its end-of-image marker,
/// any other to the header of its first scan. `in` and `found` must outlive the reader.
FeedReader find_jpeg_phases(ByteFeed& in, PhaseFindings& found);

}  // namespace optimux::media
