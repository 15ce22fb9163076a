#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// The format of a file, by its first bytes alone; never by a name or a Content-Type. kUnsupportedMedia for everything
/// that is not one of the seven formats, SVG, PDF and BMP among them. Pure; takes constant time.
base::Result<Format> sniff(std::span<const std::byte> bytes);

}  // namespace optimux::media
