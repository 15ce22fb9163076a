#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Walks the chunks of a WebP (RFC 9649) and counts its frames. kBrokenMedia when the file is shorter than its RIFF
/// header says, no picture is in it, or two chunks tell different sizes. kLimitExceeded when it has more than 4,096
/// frames. Pure.
base::Result<SourceHeader> read_webp_header(std::span<const std::byte> bytes);

}  // namespace optimux::media
