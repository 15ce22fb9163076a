#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Walks the blocks of a GIF (GIF89a specification) and counts its frames. The size is the logical screen, enlarged by
/// every frame that reaches over it, as decoders enlarge their canvas. kBrokenMedia when there is no frame or the file
/// ends inside a block; a missing trailer after a whole frame is what many encoders write and is no error.
/// kLimitExceeded when there are more than 4,096 frames. Pure.
base::Result<SourceHeader> read_gif_header(std::span<const std::byte> bytes);

}  // namespace optimux::media
