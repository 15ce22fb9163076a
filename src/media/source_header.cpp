#include "media/source_header.hpp"

#include "media/gif_header.hpp"
#include "media/heif_header.hpp"
#include "media/jpeg_header.hpp"
#include "media/png_header.hpp"
#include "media/sniff.hpp"
#include "media/tiff_header.hpp"
#include "media/webp_header.hpp"

namespace optimux::media {

base::Result<SourceHeader> read_source_header(std::span<const std::byte> bytes, int page, ReadTo to) {
  const auto format = sniff(bytes);
  if (!format) return base::fail(format.error());
  switch (*format) {
    case Format::kJpeg: return read_jpeg_header(bytes, to);
    case Format::kPng: return read_png_header(bytes);
    case Format::kGif: return read_gif_header(bytes);
    case Format::kWebp: return read_webp_header(bytes);
    case Format::kTiff: return read_tiff_header(bytes, page);
    case Format::kAvif:
    case Format::kHeic: return read_heif_header(bytes, *format);
  }
  return base::fail(base::ErrorCode::kInternal, "the image type has no parser");
}

}  // namespace optimux::media
