#include "media/webp_header.hpp"

#include "media/byte_cursor.hpp"
#include "media/exif_orientation.hpp"

namespace optimux::media {
namespace {

constexpr std::size_t kRiffHeaderBytes = 8;
// RFC 9649, section 2.7: flags of VP8X.
constexpr unsigned kAnimationFlag = 0x02;
constexpr unsigned kAlphaFlag = 0x10;
constexpr unsigned kProfileFlag = 0x20;

// Minutes of animation. libwebp's demuxer looks for each frame from the front: 10,000 take it 0.6 s, 50,000 more than
// 15 s, whichever of them is wanted.
constexpr int kMostFrames = 4096;
// Beside frames. A file has a handful; the demuxer keeps a record of each, many times as large as an empty one.
constexpr int kMostChunks = 1024;

struct Chunk {
  std::string_view type;
  std::span<const std::byte> data;
};

// RFC 6386, section 9.1: a key frame starts with three bytes of tag and a start code.
void read_vp8(ByteCursor chunk, SourceHeader& header) {
  chunk.skip(6);
  header.width = chunk.u16le() & 0x3fff;
  header.height = chunk.u16le() & 0x3fff;
}

// RFC 9649, section 3.4: after the signature 14 bits of width - 1, 14 of height - 1, and whether alpha is used.
void read_vp8l(ByteCursor chunk, SourceHeader& header) {
  chunk.skip(1);
  const std::uint32_t packed = chunk.u32le();
  header.width = (packed & 0x3fff) + 1;
  header.height = (packed >> 14 & 0x3fff) + 1;
  header.has_alpha = (packed >> 28 & 1) != 0;
}

void read_vp8x(ByteCursor chunk, SourceHeader& header) {
  const unsigned flags = chunk.u8();
  chunk.skip(3);
  header.width = std::int64_t{chunk.u24le()} + 1;
  header.height = std::int64_t{chunk.u24le()} + 1;
  header.has_alpha = (flags & kAlphaFlag) != 0;
  header.has_profile = (flags & kProfileFlag) != 0;
  header.is_animation = (flags & kAnimationFlag) != 0;
}

// RFC 9649, section 2.7: the picture of a file with VP8X has the size of the canvas, and there is one. Decoders go by
// the picture's own size.
bool read_picture(const Chunk& chunk, SourceHeader& header) {
  SourceHeader picture;
  if (chunk.type == "VP8 ")
    read_vp8(ByteCursor(chunk.data), picture);
  else
    read_vp8l(ByteCursor(chunk.data), picture);
  const bool has_canvas = header.width != 0;
  if (has_canvas) return picture.width == header.width && picture.height == header.height;
  header.width = picture.width;
  header.height = picture.height;
  header.has_alpha = picture.has_alpha;
  return true;
}

void read_anmf(ByteCursor chunk, SourceHeader& header, int& frames) {
  chunk.skip(12);
  header.duration += chunk.u24le() / 1000.0;
  ++frames;
}

Chunk next_chunk(ByteCursor& cursor) {
  Chunk chunk;
  chunk.type = cursor.text(4);
  const std::size_t length = cursor.u32le();
  chunk.data = cursor.bytes(length);
  if (length % 2 == 1 && cursor.remaining() > 0) cursor.skip(1);
  return chunk;
}

}  // namespace

base::Result<SourceHeader> read_webp_header(std::span<const std::byte> bytes) {
  SourceHeader header;
  header.format = Format::kWebp;
  ByteCursor riff(bytes, 4);
  const std::size_t riff_size = riff.u32le();
  if (riff_size + kRiffHeaderBytes > bytes.size()) return broken_media("webp: shorter than its header says");
  ByteCursor cursor(bytes.first(riff_size + kRiffHeaderBytes), kRiffHeaderBytes + 4);
  int frames = 0;
  int others = 0;
  for (bool is_first = true; cursor.remaining() >= 8; is_first = false) {
    const Chunk chunk = next_chunk(cursor);
    if (cursor.has_failed()) return broken_media("webp: a chunk reaches past the end");
    if (chunk.type == "VP8X") {
      if (!is_first) return broken_media("webp: a canvas that is not the first chunk");
      read_vp8x(ByteCursor(chunk.data), header);
    }
    if ((chunk.type == "VP8 " || chunk.type == "VP8L") && !read_picture(chunk, header)) {
      return broken_media("webp: the picture has another size than the canvas");
    }
    if (chunk.type == "ANMF") read_anmf(ByteCursor(chunk.data), header, frames);
    if (chunk.type != "ANMF" && ++others > kMostChunks) return too_many_parts("chunks", kMostChunks);
    if (frames > kMostFrames) return too_many_parts("frames", kMostFrames);
    if (chunk.type == "EXIF") header.orientation = exif_orientation(chunk.data);
  }
  if (header.width == 0 || header.height == 0) return broken_media("webp: no picture");
  if (header.is_animation && frames == 0) return broken_media("webp: an animation without frames");
  if (header.is_animation) header.pages = frames;
  header.is_animation = header.pages > 1;
  if (!header.is_animation) header.duration = 0;
  return header;
}

}  // namespace optimux::media
