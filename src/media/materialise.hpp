#pragma once

#include "media/executor.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// How far the last operations of a pipeline look around for a pixel.
enum class Reach {
  kPixel,          ///< Hardly: a strip of a few rows is computed without waste.
  kNeighbourhood,  ///< Many rows: blur, sharpening.
};

/// Computes all pixels of `image` into memory, in the calling thread and from the top to the bottom, so that a decoder
/// is read in order and only once. Metadata is kept. Errors: kBrokenMedia; kCancelled or kDeadlineExceeded, looked at
/// every few rows.
base::Result<ImageHandle> materialise(VipsImage* image, const OperationControl& control, Reach reach = Reach::kPixel);

}  // namespace optimux::media
