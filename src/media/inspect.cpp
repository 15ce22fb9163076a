#include "media/inspect.hpp"

#include <utility>

#include "media/header_limits.hpp"
#include "media/orientation.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

base::Result<ImageInfo> inspect_image(std::span<const std::byte> bytes, const MediaLimits& limits) {
  const auto header = read_source_header(bytes, 0, ReadTo::kPixels);
  if (!header) return base::fail(header.error());
  if (const auto fits = check_frame_pixels(*header, limits); !fits) return base::fail(fits.error());
  ImageInfo info;
  info.format = header->format;
  info.width = static_cast<int>(header->width);
  info.height = static_cast<int>(header->height);
  if (Orientation::from_exif(header->orientation).swaps_axes) std::swap(info.width, info.height);
  info.pages = header->pages;
  info.duration = header->duration;
  info.has_alpha = header->has_alpha;
  info.colour_space = header->colour_space;
  info.has_profile = header->has_profile;
  info.bits = header->bits;
  info.orientation = header->orientation;
  info.is_progressive = header->is_progressive;
  info.samples = header->samples;
  info.bytes = bytes.size();
  info.decoder_bytes = header->decoder_bytes + (header->may_warn ? info.bytes : 0);
  return info;
}

}  // namespace optimux::media
