#pragma once

#include "media/executor.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

using SourceHandle = std::unique_ptr<VipsSource, ObjectUnref>;

/// `bytes` as a stream that breaks off when the operation has to stop. For decoders that read a whole file before they
/// give the first row, where an interrupt gate comes too late. `bytes` and `control` must outlive the stream and what
/// is decoded from it.
SourceHandle new_interruptible_source(const SourceBuffer& bytes, const OperationControl& control);

}  // namespace optimux::media
