#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Reads the directory of one page of a TIFF (TIFF 6.0) and counts the pages. kInvalidParameter when there is no such
/// page; kBrokenMedia when a directory is damaged, sizes are missing, a number that decides on the cost of decoding is
/// not one BYTE, SHORT or LONG, a pixel has more than 5 samples, or directories share bytes, as those of a chain that
/// goes in circles do, or there are more than 10,000. The entries of other pages are read to count those that are like
/// it. Pure.
base::Result<SourceHeader> read_tiff_header(std::span<const std::byte> bytes, int page);

}  // namespace optimux::media
