#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/executor.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Whether the data of the first `frames` frames of a GIF, whose header has been read without error, make all of their
/// pixels. Decoders leave those transparent that are not there, and tell nobody. kBrokenMedia when the data of one end
/// early or make no sense; kCancelled or kDeadlineExceeded as `control` says. Takes a few nanoseconds a byte, and no
/// pixels.
base::Status check_gif_pixels(std::span<const std::byte> bytes, int frames, const OperationControl& control);

}  // namespace optimux::media
