#pragma once

#include <cstddef>
#include <cstdint>

#include "media/byte_cursor.hpp"

// The structure of a GIF, as in the GIF89a specification, for the sources of this layer only.

namespace optimux::media::gif {

constexpr std::size_t kSignatureBytes = 6;
constexpr std::uint8_t kExtension = 0x21;
constexpr std::uint8_t kImage = 0x2c;
constexpr std::uint8_t kTrailer = 0x3b;

/// Skips the colour table that the packed field before it tells of.
inline void skip_colour_table(ByteCursor& cursor, unsigned packed) {
  if ((packed & 0x80U) != 0) cursor.skip(std::size_t{3} << ((packed & 7U) + 1));
}

/// Skips blocks of up to 255 bytes and the empty one that ends them.
inline void skip_sub_blocks(ByteCursor& cursor) {
  while (!cursor.has_failed()) {
    const std::size_t length = cursor.u8();
    if (length == 0) return;
    cursor.skip(length);
  }
}

}  // namespace optimux::media::gif
