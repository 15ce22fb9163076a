#pragma once

#include "media/byte_feed.hpp"
#include "media/phase_scanner.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// The phases of a PNG (ISO/IEC 15948), as `PhaseScanner` tells them. Of an interlaced one it inflates the pixels up to
/// the end of pass 5, a quarter of them, through a window of 32 KiB, and counts them: nothing else tells where a pass
/// ends in a compressed stream. That takes 1.4 % of the time that encoding it takes. `in` and `found` must outlive the
/// reader.
FeedReader find_png_phases(ByteFeed& in, PhaseFindings& found);

}  // namespace optimux::media
