#pragma once

#include "media/executor.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// `image` with a gate behind it: pixels pass unchanged until the operation has to stop, then asking for more fails.
/// Placed right behind a decoder, and before an encoder, it ends whatever works on the picture within a few rows.
/// `control` must outlive the result.
base::Result<ImageHandle> with_interrupt_gate(VipsImage* image, const OperationControl& control);

}  // namespace optimux::media
