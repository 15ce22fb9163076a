#pragma once

#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// `image` with 8 bits per band in sRGB or, where it is grey, in grey; alpha is kept. Colours go through the embedded
/// profile; CMYK without one through a common press profile; anything else without one counts as sRGB. A profile that
/// does not fit the picture is ignored, as browsers do. The profile is no longer attached. Lazy.
base::Result<ImageHandle> to_standard_colour(VipsImage* image);

/// Grey becomes sRGB with three equal bands; sRGB stays. Lazy.
base::Result<ImageHandle> to_three_bands(VipsImage* image);

}  // namespace optimux::media
