#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// What our own parsers read from a source before any library sees it. Sizes are as stored, not yet turned upright, and
/// may be absurd: nothing has been checked but that the file is not cut off (by `ReadTo::kEnd`).
struct SourceHeader {
  Format format = Format::kJpeg;
  std::int64_t width = 0;     ///< Pixels as stored.
  std::int64_t height = 0;    ///< Pixels of one page as stored.
  int pages = 1;              ///< Frames of an animation, pages of a TIFF.
  double duration = 0;        ///< Seconds of all frames; 0 for stills.
  bool is_animation = false;  ///< Several frames that follow each other in time.
  bool has_alpha = false;
  std::string_view colour_space = "srgb";  ///< As in `ImageInfo`; points to a literal.
  bool has_profile = false;
  int bits = 8;                 ///< Per channel.
  int orientation = 1;          ///< EXIF, 1 to 8; 1 where the decoder turns the picture by itself.
  bool is_progressive = false;  ///< Decoding needs the whole picture in memory, as in `ImageInfo`.
  int samples = 0;              ///< A pixel; 0 where colour space and alpha tell.
  /// Pages from the one that was asked for on that have its size and kind, so that they can stand below each other.
  int like_pages = std::numeric_limits<int>::max();
  /// Memory that decoding takes whatever is wanted of the picture: inflated text, strips, a mended copy.
  std::uint64_t decoder_bytes = 0;
  bool may_warn = false;  ///< A JPEG that deviates in ways that decoders warn of and browsers show.
};

/// How far a header is read.
enum class ReadTo {
  kPixels,  ///< Up to the first pixels, where what comes after them says no more about the picture (JPEG).
  kEnd,     ///< To the end of the picture, which tells whether the file is whole.
};

/// Reads the header of a source of any supported format. `page` (from 0) matters for TIFF only, where pages differ in
/// size. Errors: kUnsupportedMedia by the first bytes; kBrokenMedia when the structure is damaged or the file is cut
/// off; kLimitExceeded when it has more parts than the libraries behind can walk in good time; kInvalidParameter when
/// the TIFF has no such page. Takes one pass over the bytes at most, and no memory but a number for each page of a
/// TIFF.
base::Result<SourceHeader> read_source_header(std::span<const std::byte> bytes, int page = 0, ReadTo to = ReadTo::kEnd);

/// The failure of every parser: a readable type whose structure is damaged. `what` goes to the log.
inline tl::unexpected<base::Error> broken_media(std::string_view what) {
  return base::fail(base::ErrorCode::kBrokenMedia, "the image is damaged or cut off", std::string(what));
}

/// The failure for a source with more than `most` of the parts that `what` names in the plural: whole, but made so that
/// libraries, which cannot be stopped while they read a header, take long or much memory over it.
inline tl::unexpected<base::Error> too_many_parts(std::string_view what, std::size_t most) {
  return base::fail(base::ErrorCode::kLimitExceeded,
                    "the image has more than " + std::to_string(most) + " " + std::string(what));
}

/// The failure for a page that a source with `pages` pages does not have.
inline tl::unexpected<base::Error> no_such_page(int pages) {
  return base::fail(base::ErrorCode::kInvalidParameter, "page: the image has " + std::to_string(pages) +
                                                            (pages == 1 ? " page" : " pages") + ", counted from 0");
}

}  // namespace optimux::media
