#include "media/png_header.hpp"

#include <cstdint>
#include <string_view>

#include "media/byte_cursor.hpp"
#include "media/exif_orientation.hpp"

namespace optimux::media {
namespace {

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChecksumBytes = 4;
// ISO/IEC 15948, table 9: colour types are sums of these.
constexpr unsigned kUsesColour = 2;
constexpr unsigned kUsesAlpha = 4;

// libpng keeps all chunks of text while it reads the header, and libvips as much again; and it inflates what is
// compressed to as much as 1,032 times its size (libvips 8.14 lets it keep 100 chunks of 50 MiB). Files have a few
// chunks, of some KiB.
constexpr std::size_t kMostTextChunks = 64;
constexpr std::size_t kMostCompressedTextBytes = std::size_t{256} * 1024;
constexpr std::uint64_t kMostInflation = 1032;
constexpr std::uint64_t kCopiesOfText = 2;
// libpng stops inflating at the length that the profile itself names.
constexpr std::size_t kMostProfileBytes = std::size_t{1024} * 1024;

// ISO/IEC 15948, sections 11.3.4.3 to 11.3.4.5: in iTXt a flag behind the keyword, which ends with a zero, says so.
bool is_compressed_text(std::string_view type, std::string_view data) {
  if (type != "iTXt") return type == "zTXt";
  const std::size_t flag = data.find('\0');
  return flag + 1 < data.size() && data[flag + 1] != 0;
}

// Bounds what libpng inflates before anything can stop it, and tells what it may take.
class AncillaryChunks {
 public:
  base::Status add(std::string_view type, std::string_view data) {
    if (type == "iCCP" && data.size() > kMostProfileBytes) {
      return too_many_parts("bytes of colour profile (iCCP)", kMostProfileBytes);
    }
    if (type != "tEXt" && type != "zTXt" && type != "iTXt") return {};
    if (++text_chunks_ > kMostTextChunks) return too_many_parts("chunks of text", kMostTextChunks);
    const bool is_compressed = is_compressed_text(type, data);
    (is_compressed ? compressed_bytes_ : plain_bytes_) += data.size();
    if (compressed_bytes_ <= kMostCompressedTextBytes) return {};
    return too_many_parts("bytes of compressed text", kMostCompressedTextBytes);
  }

  std::uint64_t decoder_bytes() const { return kCopiesOfText * (plain_bytes_ + compressed_bytes_ * kMostInflation); }

 private:
  std::size_t text_chunks_ = 0;
  std::uint64_t compressed_bytes_ = 0;
  std::uint64_t plain_bytes_ = 0;
};

void read_ihdr(ByteCursor chunk, SourceHeader& header) {
  header.width = chunk.u32be();
  header.height = chunk.u32be();
  header.bits = chunk.u8();
  const unsigned colour_type = chunk.u8();
  chunk.skip(2);
  header.is_progressive = chunk.u8() != 0;
  header.has_alpha = (colour_type & kUsesAlpha) != 0;
  const bool is_deep = header.bits > 8;
  if ((colour_type & kUsesColour) != 0)
    header.colour_space = is_deep ? "rgb16" : "srgb";
  else
    header.colour_space = is_deep ? "grey16" : "grey";
}

}  // namespace

base::Result<SourceHeader> read_png_header(std::span<const std::byte> bytes) {
  SourceHeader header;
  header.format = Format::kPng;
  ByteCursor cursor(bytes, kSignatureBytes);
  AncillaryChunks ancillary;
  for (bool is_first = true;; is_first = false) {
    const std::uint32_t length = cursor.u32be();
    const std::string_view type = cursor.text(4);
    const auto data = cursor.bytes(length);
    cursor.skip(kChecksumBytes);
    if (cursor.has_failed()) return broken_media("png: ends before IEND");
    if (is_first != (type == "IHDR")) return broken_media("png: IHDR is not the first chunk");
    const std::string_view characters(reinterpret_cast<const char*>(data.data()), data.size());
    if (const auto fits = ancillary.add(type, characters); !fits) return base::fail(fits.error());
    if (type == "IHDR") read_ihdr(ByteCursor(data), header);
    if (type == "tRNS") header.has_alpha = true;
    if (type == "iCCP") header.has_profile = true;
    if (type == "eXIf") header.orientation = exif_orientation(data);
    if (type == "IEND") break;
  }
  if (header.width == 0 || header.height == 0) return broken_media("png: no size");
  header.decoder_bytes = ancillary.decoder_bytes();
  return header;
}

}  // namespace optimux::media
