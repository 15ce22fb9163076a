#pragma once

#include "base/shared_body.hpp"
#include "media/executor.hpp"
#include "media/resize_plan.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Whether `format` can hold a frame of `size`, and can be encoded with the effort of `spec` in bounded time:
/// kLimitExceeded with the limit in the detail.
base::Status check_format_limits(Format format, PixelSize size, const RenderSpec& spec);

/// Encodes `image`, whose pixels are finished, as `format` into `body`: starts it and appends while encoding;
/// completing it is the caller's. On a failure the body is left as it is and the error returned: kInternal, kCancelled,
/// kDeadlineExceeded, or the body's own error when it has failed meanwhile.
base::Status encode(VipsImage* image, Format format, const RenderSpec& spec, base::SharedBody& body,
                    const OperationControl& control);

}  // namespace optimux::media
