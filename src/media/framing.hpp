#pragma once

#include <optional>

#include "media/resize_plan.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// `image` turned and mirrored. Needs pixels in memory. Lazy.
base::Result<ImageHandle> reorient(VipsImage* image, Orientation orientation);

/// The part of `image` at `area`. Lazy.
base::Result<ImageHandle> cut_out(VipsImage* image, const Rectangle& area);

/// Where a part of size `inner` is cut out of `image` by `gravity`; the smart ones look at the pixels, so `image` must
/// be in memory.
base::Result<Offset> find_cut(VipsImage* image, PixelSize inner, const Gravity& gravity);

/// `image` on a canvas of `size`, placed by gravity. The canvas is transparent where the image has alpha and no
/// background is given, else of the background's colour (white by default). Lazy.
base::Result<ImageHandle> pad(VipsImage* image, PixelSize size, const Gravity& gravity,
                              const std::optional<Colour>& background);

/// `image` without alpha, on a background. Lazy; the image itself when it has no alpha.
base::Result<ImageHandle> flatten(VipsImage* image, const Colour& background);

}  // namespace optimux::media
