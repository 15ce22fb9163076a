#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "media/executor.hpp"
#include "media/media_limits.hpp"

namespace optimux::media {

/// BlurHash (https://blurha.sh, the published algorithm description) of 8-bit sRGB pixels, three bytes each, row after
/// row: `horizontal` x `vertical` cosine components (1 to 9 each) in base 83. Pure.
std::string blur_hash(std::span<const std::uint8_t> rgb, int width, int height, int horizontal, int vertical);

/// The 4x3 BlurHash of a source, upright, on white. Decodes it. Errors as of `Executor::render`.
base::Result<std::string> blur_hash_of(const SourceBuffer& source, const MediaLimits& limits,
                                       const OperationControl& control);

}  // namespace optimux::media
