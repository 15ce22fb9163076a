#include "media/memory_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "media/frame_selection.hpp"
#include "media/resize_plan.hpp"

namespace optimux::media {
namespace {

// Decoder state, tables, rows in flight, profile transforms: what even the smallest render takes.
constexpr double kFixedBytes = 2 << 20;
// Rows that the decoder, the resampler and the interrupt gate hold at once.
constexpr double kRowsInFlight = 160;

double bytes_per_pixel(const ImageInfo& info) {
  const double channels = info.colour_space == "cmyk" || info.has_alpha ? 4 : 3;
  return std::max<double>(channels, info.samples) * std::max(info.bits, 8) / 8;
}

// What a decoder keeps of a whole frame while its rows are read. JPEG keeps rows only, and 16-bit coefficients of every
// sample when it comes in several scans; libpng keeps rows only, and the picture when interlaced; libwebp decodes a
// frame at once, as ARGB when lossless, beside the canvas; GIF composes on a canvas and keeps the one before; HEIF
// decodes to planes of up to 16 bits and converts to interleaved; how large the strips of a TIFF are its header says.
double decoder_bytes_per_pixel(const ImageInfo& info) {
  switch (info.format) {
    case Format::kJpeg: return info.is_progressive ? bytes_per_pixel(info) * 2 : 0;
    case Format::kPng: return info.is_progressive ? bytes_per_pixel(info) : 0;
    case Format::kWebp: return info.pages > 1 ? 14 : 10;
    case Format::kGif: return 12;
    case Format::kTiff: return 0;
    case Format::kAvif:
    case Format::kHeic: return info.bits > 8 ? 20 : 12;
  }
  return 0;
}

// What an encoder keeps of a frame: libjpeg rows, or coefficients when progressive; libpng rows, or the picture;
// libwebp its planes and its work on them; libaom far more; the GIF quantiser the frame as RGBA and its index.
double encoder_bytes_per_pixel(Format format, const RenderSpec& spec) {
  switch (format) {
    case Format::kJpeg: return spec.progressive ? 6 : 0;
    case Format::kPng: return spec.progressive ? 4 : 0;
    case Format::kWebp: return spec.lossless ? 40 : 16;
    case Format::kAvif: return 60;
    case Format::kGif: return 16;
    default: return 0;
  }
}

// As `select_frames` chooses them; it has the last word.
int frames_from(int first, const ImageInfo& info, const RenderSpec& spec) {
  const int left = info.pages - first;
  const bool is_document = info.format == Format::kTiff;
  const int wanted = spec.frames.value_or(is_document ? 1 : -1);
  return wanted < 0 ? left : std::clamp(wanted, 1, left);
}

}  // namespace

std::uint64_t estimate_render_memory(const ImageInfo& info, const RenderSpec& spec, const MediaLimits& limits) {
  const Format format = choose_format(spec, info.format, info.has_alpha);
  // A page that is not there counts as the last one: the render says what is wrong with it.
  const int first = std::clamp(spec.page, 0, info.pages - 1);
  const int frames = can_animate(format) ? frames_from(first, info, spec) : 1;
  // The plan's size does not depend on the orientation that the info has already applied.
  const auto plan = plan_resize({info.width, info.height}, 1, 1, spec, limits);
  if (!plan) return static_cast<std::uint64_t>(kFixedBytes);
  const double source_pixels = static_cast<double>(info.width) * info.height;
  double results = 0;
  double largest = 0;
  for (const SizePlan& size : plan->sizes) {
    const double resized = static_cast<double>(size.resized.width) * size.resized.height;
    const double result = static_cast<double>(size.result.width) * size.result.height;
    // The scaled picture and, while it is framed, the result beside it.
    results += result * 4 * frames;
    largest = std::max(largest, resized * 4 + result * encoder_bytes_per_pixel(format, spec));
  }
  double base = 0;
  if (plan->sizes.size() > 1) {
    const double reduction = std::max(1.0, plan->reduction / 4);
    base = source_pixels * bytes_per_pixel(info) / (reduction * reduction);
  }
  const double rows = kRowsInFlight * std::max(info.width, info.height) * bytes_per_pixel(info);
  return static_cast<std::uint64_t>(kFixedBytes + rows + static_cast<double>(info.decoder_bytes) +
                                    source_pixels * decoder_bytes_per_pixel(info) + base + results + largest);
}

}  // namespace optimux::media
