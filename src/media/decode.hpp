#pragma once

#include "media/executor.hpp"
#include "media/source_header.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// How a source is opened.
struct DecodeOptions {
  int page = 0;                 ///< First page or frame.
  int pages = 1;                ///< How many, below each other in one tall picture.
  int jpeg_shrink = 1;          ///< 1, 2, 4 or 8.
  double webp_scale = 1;        ///< Above 0, at most 1.
  bool heif_thumbnail = false;  ///< The file's own thumbnail in place of the picture, where it has one.
};

/// Opens `source` with the loader of the one format that its header says; libvips is never asked to guess. Nothing is
/// decoded yet (but by loaders that cannot do otherwise); pixels must be read from the top to the bottom, once.
/// `source` and `control` must outlive the image. A JPEG that `may_warn` must have been mended. kBrokenMedia when the
/// loader refuses the file, or finds a JPEG or a WebP, which can be scaled while they are decoded, to have another size
/// than `header` tells.
base::Result<ImageHandle> open_source(const SourceBuffer& source, const SourceHeader& header,
                                      const DecodeOptions& options, const OperationControl& control);

}  // namespace optimux::media
