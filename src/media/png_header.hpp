#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Walks the chunks of a PNG (ISO/IEC 15948) up to IEND. kBrokenMedia when IHDR is missing or its sizes are 0, or when
/// the file ends before IEND. kLimitExceeded when it has more than 64 chunks of text (tEXt, zTXt, iTXt), more than
/// 256 KiB in all of them, or a colour profile of more than 1 MiB, each as stored. Bytes after IEND are ignored;
/// checksums are the decoder's business. Pure.
base::Result<SourceHeader> read_png_header(std::span<const std::byte> bytes);

}  // namespace optimux::media
