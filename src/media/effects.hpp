#pragma once

#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// `image` blurred by a Gaussian of `sigma` pixels; colours under alpha are weighted by it. Needs pixels in memory.
/// Lazy.
base::Result<ImageHandle> blur(VipsImage* image, double sigma);

/// `image` with its lightness sharpened around edges of about `sigma` pixels; colours and alpha stay. Needs pixels in
/// memory. Lazy.
base::Result<ImageHandle> sharpen(VipsImage* image, double sigma);

}  // namespace optimux::media
