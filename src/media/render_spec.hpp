#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace optimux::media {

/// Image formats by content. TIFF and HEIC are read only; the others are read and written.
enum class Format { kJpeg, kPng, kWebp, kAvif, kGif, kTiff, kHeic };

/// `jpeg`, `png`, `webp`, `avif`, `gif`, `tiff`, `heic`.
std::string_view name_of(Format format);
/// As in `image/jpeg`.
std::string_view content_type_of(Format format);
/// File name extension without the dot, as in `jpg`.
std::string_view extension_of(Format format);
/// Whether this product encodes it.
bool is_writable(Format format);

/// How a picture is fitted into a box of which both sides are given (CSS object-fit with sharp's `outside`).
enum class Fit {
  kInside,   ///< Keep the aspect ratio, no side longer than the box.
  kCover,    ///< Keep the aspect ratio, fill the box, cut what is over by gravity.
  kContain,  ///< Keep the aspect ratio inside the box, fill the rest with the background.
  kFill,     ///< Exactly the box, aspect ratio ignored.
  kOutside,  ///< Keep the aspect ratio, no side shorter than the box.
};

/// Which part stays when something has to be cut or placed.
enum class GravityKind {
  kCenter,
  kNorth,
  kNorthEast,
  kEast,
  kSouthEast,
  kSouth,
  kSouthWest,
  kWest,
  kNorthWest,
  kSmart,       ///< libvips' attention strategy.
  kEntropy,     ///< libvips' entropy strategy.
  kFocalPoint,  ///< Around a point given as parts of width and height.
};

struct Gravity {
  GravityKind kind = GravityKind::kCenter;
  double x = 0.5;  ///< 0 to 1 of the width; for kFocalPoint.
  double y = 0.5;  ///< 0 to 1 of the height; for kFocalPoint.
  bool operator==(const Gravity&) const = default;
};

/// A target box in CSS pixels (multiplied by `RenderSpec::dpr`). 0 is a free axis; both 0 is "as is".
struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

/// One side of a crop rectangle: pixels of the upright source, or a percentage of the side.
struct Length {
  double value = 0;
  bool is_percent = false;
  bool operator==(const Length&) const = default;
};

/// Cut out of the upright source before resizing; clipped to the picture. An empty cut is kInvalidParameter.
struct Crop {
  Length x, y, width, height;
  bool operator==(const Crop&) const = default;
};

struct Colour {
  std::uint8_t red = 255;
  std::uint8_t green = 255;
  std::uint8_t blue = 255;
  bool operator==(const Colour&) const = default;
};

enum class Flip { kNone, kHorizontal, kVertical, kBoth };

/// What to make of a source image: every parameter that changes the bytes of a rendition, and nothing else. The values
/// have been checked against their ranges (service/parameters); an unset optional means the encoder's default.
struct RenderSpec {
  std::vector<Size> sizes = {Size{}};  ///< At least one; all rendered from one decode.
  Fit fit = Fit::kInside;
  Gravity gravity;
  bool enlarge = false;          ///< Whether a result may have more pixels than the source.
  double dpr = 1;                ///< 1 to 4.
  std::optional<Format> format;  ///< Unset: the source's own, or JPEG (PNG with alpha) if that is not written.
  std::optional<int> quality;    ///< 1 to 100. Default: JPEG 80, WebP 79, AVIF 63.
  std::optional<int> effort;     ///< 0 to 9. Default: WebP 4, AVIF 2, PNG 6, GIF 7.
  bool lossless = false;         ///< WebP and AVIF; PNG always is.
  bool progressive = false;      ///< JPEG scans, PNG interlacing.
  bool strip = true;             ///< Drop metadata but copyright; colours are sRGB either way.
  bool thumb = false;            ///< Fast path: nearest shrink-on-load, a missing side equals the other.
  std::optional<Crop> crop;
  int rotate = 0;                    ///< 0, 90, 180 or 270 degrees clockwise, on top of EXIF.
  Flip flip = Flip::kNone;           ///< After the rotation.
  double blur = 0;                   ///< Sigma in output pixels, 0 to 50.
  double sharpen = 0;                ///< Sigma in output pixels, 0 to 50.
  std::optional<Colour> background;  ///< Under alpha (then flattened), and beside `contain`. Unset: white where needed.
  int page = 0;                      ///< First page or frame.
  std::optional<int> frames;         ///< How many, -1 all. Unset: all for animated output, else 1.
  bool operator==(const RenderSpec&) const = default;
};

}  // namespace optimux::media
