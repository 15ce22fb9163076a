#include "media/encode_avif.hpp"

namespace optimux::media {

int encode_avif(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultQuality = 63;
  constexpr int kDefaultEffort = 2;
  return vips_heifsave_target(image, target, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "Q",
                              spec.quality.value_or(kDefaultQuality), "effort", spec.effort.value_or(kDefaultEffort),
                              "lossless", static_cast<gboolean>(spec.lossless), "strip", static_cast<gboolean>(strip),
                              nullptr);
}

}  // namespace optimux::media
