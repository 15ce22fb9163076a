#pragma once

#include "media/render_spec.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Writes `image` to `target` as WebP: `quality`, `effort` (libwebp's method, of which the highest is 6), `lossless`;
/// animations too. `strip` says that no metadata is written. Returns 0, or -1 with libvips' error set. Blocks until all
/// is written.
int encode_webp(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip);

}  // namespace optimux::media
