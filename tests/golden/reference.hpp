#pragma once

#include "media/render_spec.hpp"
#include "test_image.hpp"

namespace optimux::media::test {

/// What a rendition of `width` pixels on white should look like, made by another path than the product's: the first
/// frame decoded in full, turned by libvips, converted through its profile in 16 bits, laid on white, and then scaled
/// in floating point.
ImageHandle reference(const SourceBuffer& source, Format format, int width, int height);

}  // namespace optimux::media::test
