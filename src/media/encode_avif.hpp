#pragma once

#include <cstdint>

#include "media/render_spec.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

constexpr int kDefaultAvifEffort = 2;

/// The highest effort (0 to 9) that a picture of so many pixels may be encoded with. libaom's encoder cannot be stopped
/// once it runs, so what it may be asked for is bounded instead.
int most_avif_effort(std::int64_t pixels);

/// Writes `image` to `target` as AVIF: `quality`, `effort` (9 is the slowest), `lossless`.
/// `strip` says that no metadata is written. Returns 0, or -1 with libvips' error set. Blocks until all is written.
int encode_avif(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip);

}  // namespace optimux::media
