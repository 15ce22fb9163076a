#pragma once

#include "base/phase.hpp"
#include "base/result.hpp"
#include "media/image_info.hpp"
#include "media/phase_scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace optimux::apps {

/// What an encoded picture is, and how it arrives.
struct Examination {
  media::ImageInfo info;
  media::PhaseFindings found;

  /// Where each phase ends, all of them in their order: phases that have no end of their own end with the next one, and
  /// the last, or what is not found, with the file.
  std::vector<media::PhaseEnd> phases() const;
};

/// Reads the headers of a picture of any size, and finds the ends of its phases. No pixel is decoded. Errors as those
/// of `media::inspect_image` without limits. Pure.
base::Result<Examination> examine(std::span<const std::byte> bytes);

}  // namespace optimux::apps
