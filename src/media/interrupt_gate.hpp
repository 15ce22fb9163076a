#pragma once

#include "media/executor.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// `image`, or the same pixels, made to fail for whoever asks for more of it once the operation has to stop. Placed
/// right behind a decoder, and before an encoder, it ends whatever works on the picture within a few rows. The image
/// must belong to this operation alone; `control` must outlive the result.
base::Result<ImageHandle> with_interrupt_gate(VipsImage* image, const OperationControl& control);

}  // namespace optimux::media
