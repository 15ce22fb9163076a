#include "media/encode_webp.hpp"

#include <algorithm>

namespace optimux::media {

int encode_webp(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultQuality = 79;
  constexpr int kDefaultEffort = 4;
  constexpr int kHighestEffort = 6;
  return vips_webpsave_target(image, target, "Q", spec.quality.value_or(kDefaultQuality), "effort",
                              std::min(spec.effort.value_or(kDefaultEffort), kHighestEffort), "lossless",
                              static_cast<gboolean>(spec.lossless), "strip", static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
