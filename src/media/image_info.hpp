#pragma once

#include <cstdint>
#include <string>

#include "media/render_spec.hpp"

namespace optimux::media {

/// What the header of a source says.
struct ImageInfo {
  Format format = Format::kJpeg;
  int width = 0;   ///< Pixels, upright (after EXIF orientation).
  int height = 0;  ///< Pixels of one page, upright.
  int pages = 1;
  double duration = 0;  ///< Seconds of all frames of an animation, 0 for stills.
  bool has_alpha = false;
  std::string colour_space;     ///< As in `srgb`, `cmyk`, `grey`, `lab`, `rgb16`.
  bool has_profile = false;     ///< An ICC profile is embedded.
  int bits = 8;                 ///< Per channel.
  int orientation = 1;          ///< EXIF, 1 to 8.
  bool is_progressive = false;  ///< JPEG in several scans, interlaced PNG: decoding needs the whole picture in memory.
  int samples = 0;              ///< A pixel; 0 where colour space and alpha tell.
  std::uint64_t bytes = 0;      ///< Of the source file.
  /// Memory that decoding takes whatever is wanted of the picture: inflated text, strips, a mended copy.
  std::uint64_t decoder_bytes = 0;
  std::string blur_hash;  ///< 4x3 components; empty unless asked for.
};

}  // namespace optimux::media
