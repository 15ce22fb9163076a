#pragma once

#include <vector>

#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// A picture that is ready for an encoder, and whether any metadata is left to be written.
struct LabelledImage {
  ImageHandle image;
  bool has_metadata = false;
};

/// Leaves of the metadata what a rendition carries: with `strip` nothing but EXIF's copyright and artist and the
/// copyright of XMP or IPTC, which becomes an XMP packet of its own; else all but the colour profile, the orientation
/// and the embedded thumbnail, which are no longer true, and an EXIF block of more than 60,000 bytes, which no JPEG can
/// hold. EXIF that is written says that the colours are sRGB. How an animation is timed is no metadata in this sense
/// and stays. Lazy.
base::Result<LabelledImage> label(VipsImage* image, bool strip);

/// Frames below each other as one picture that encoders take for an animation, with the timing of `source`, of which
/// they are the frames from `first` on. Lazy.
base::Result<ImageHandle> join_frames(const std::vector<ImageHandle>& frames, VipsImage* source, int first);

}  // namespace optimux::media
