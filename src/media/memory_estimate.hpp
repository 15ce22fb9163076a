#pragma once

#include <cstdint>

#include "media/image_info.hpp"
#include "media/media_limits.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// `Executor::estimate_memory`. Pure.
std::uint64_t estimate_render_memory(const ImageInfo& info, const RenderSpec& spec, const MediaLimits& limits);

}  // namespace optimux::media
