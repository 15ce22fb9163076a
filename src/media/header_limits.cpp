#include "media/header_limits.hpp"

#include <algorithm>
#include <string>

namespace optimux::media {
namespace {

tl::unexpected<base::Error> exceeds(const std::string& what, const char* field, std::int64_t limit) {
  return base::fail(base::ErrorCode::kLimitExceeded,
                    "the image has " + what + ", which exceeds " + field + " " + std::to_string(limit));
}

std::string size_text(const SourceHeader& header) {
  return std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels";
}

// libvips' own bound (VIPS_MAX_COORD). Beyond it sizes would not fit the numbers that they are reckoned with.
constexpr std::int64_t kLongestSide = 10'000'000;

}  // namespace

// By division, because two sides of 32 bits can overflow 64 bits.
base::Status check_frame_pixels(const SourceHeader& header, const MediaLimits& limits) {
  if (header.width > limits.max_frame_pixels / header.height) {
    return exceeds(size_text(header), "max_frame_pixels", limits.max_frame_pixels);
  }
  if (std::max(header.width, header.height) > kLongestSide) {
    return exceeds(size_text(header), "a side of", kLongestSide);
  }
  return {};
}

base::Status check_header_limits(const SourceHeader& header, const FrameSelection& frames, const MediaLimits& limits) {
  if (auto fits = check_frame_pixels(header, limits); !fits) return fits;
  if (frames.count > limits.max_frames) {
    return exceeds(std::to_string(frames.count) + " frames", "max_frames", limits.max_frames);
  }
  // A document's pages are independent; a frame of an animation is drawn over all those before it.
  const std::int64_t decoded = header.is_animation ? std::int64_t{frames.first} + frames.count : frames.count;
  if (header.width * header.height <= limits.max_total_pixels / decoded) return {};
  return exceeds(std::to_string(decoded) + " frames of " + size_text(header), "max_total_pixels",
                 limits.max_total_pixels);
}

}  // namespace optimux::media
