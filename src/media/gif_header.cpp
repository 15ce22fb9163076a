#include "media/gif_header.hpp"

#include <algorithm>

#include "media/byte_cursor.hpp"
#include "media/gif_blocks.hpp"

namespace optimux::media {
namespace {

constexpr std::uint8_t kGraphicControl = 0xf9;
// Minutes of animation. Decoders keep a record of every frame, whichever is wanted.
constexpr int kMostFrames = 4096;
constexpr double kSecondsPerTick = 0.01;

void read_extension(ByteCursor& cursor, SourceHeader& header) {
  if (cursor.u8() == kGraphicControl) {
    ByteCursor block = cursor;
    block.skip(1);
    const unsigned packed = block.u8();
    header.duration += block.u16le() * kSecondsPerTick;
    if ((packed & 1U) != 0) header.has_alpha = true;
  }
  gif::skip_sub_blocks(cursor);
}

void read_frame(ByteCursor& cursor, SourceHeader& header) {
  const std::int64_t left = cursor.u16le();
  const std::int64_t top = cursor.u16le();
  header.width = std::max<std::int64_t>(header.width, left + cursor.u16le());
  header.height = std::max<std::int64_t>(header.height, top + cursor.u16le());
  gif::skip_colour_table(cursor, cursor.u8());
  cursor.skip(1);
  gif::skip_sub_blocks(cursor);
  ++header.pages;
}

base::Status read_blocks(ByteCursor& cursor, SourceHeader& header) {
  while (cursor.remaining() > 0) {
    const std::uint8_t label = cursor.u8();
    if (label == gif::kTrailer) break;
    if (label == gif::kExtension)
      read_extension(cursor, header);
    else if (label == gif::kImage)
      read_frame(cursor, header);
    else if (header.pages > 0)
      break;  // Garbage after the last frame, as behind a trailer.
    else
      return broken_media("gif: unknown block");
    if (cursor.has_failed()) return broken_media("gif: ends inside a block");
    if (header.pages > kMostFrames) return too_many_parts("frames", kMostFrames);
  }
  return {};
}

}  // namespace

base::Result<SourceHeader> read_gif_header(std::span<const std::byte> bytes) {
  SourceHeader header;
  header.format = Format::kGif;
  header.pages = 0;
  ByteCursor cursor(bytes, gif::kSignatureBytes);
  header.width = cursor.u16le();
  header.height = cursor.u16le();
  const unsigned packed = cursor.u8();
  cursor.skip(2);
  gif::skip_colour_table(cursor, packed);
  if (cursor.has_failed()) return broken_media("gif: no logical screen");
  if (const auto read = read_blocks(cursor, header); !read) return base::fail(read.error());
  if (header.pages == 0 || header.width == 0 || header.height == 0) return broken_media("gif: no frame");
  header.is_animation = header.pages > 1;
  if (!header.is_animation) header.duration = 0;
  return header;
}

}  // namespace optimux::media
