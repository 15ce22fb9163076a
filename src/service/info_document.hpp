#pragma once

#include <string>

#include "media/image_info.hpp"

namespace optimux::service {

/// The JSON description of an image, one object: `format`, `content_type`, `width`, `height` (pixels, upright),
/// `pages`, `duration` (seconds), `has_alpha`, `colour_space`, `has_profile`, `bits`, `orientation`, `is_progressive`,
/// `bytes`, and `blur_hash` when it is known. The same info gives the same bytes.
std::string info_document(const media::ImageInfo& info);

}  // namespace optimux::service
