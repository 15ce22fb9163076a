#pragma once

#include "media/byte_feed.hpp"
#include "media/phase_scanner.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// The phases of a GIF (GIF89a specification), as `PhaseScanner` tells them. Whether it is an animation is told by the
/// extension for its loop, for nothing else does before the second frame; one that plays once without saying so counts
/// as a still. The passes of an interlaced frame are not looked for. `in` and `found` must outlive the reader.
FeedReader find_gif_phases(ByteFeed& in, PhaseFindings& found);

}  // namespace optimux::media
