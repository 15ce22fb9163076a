#pragma once

#include "media/resize_plan.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Scales `image` to exactly `size` with a Lanczos-3 filter, in steps where that is faster and as good. Colours under
/// alpha are weighted by it, so that the colour of invisible pixels does not bleed. Lazy: nothing is computed yet.
/// Keeps the band format.
base::Result<ImageHandle> resample(VipsImage* image, PixelSize size);

}  // namespace optimux::media
