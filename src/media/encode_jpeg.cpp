#include "media/encode_jpeg.hpp"

namespace optimux::media {

// Baseline files use the standard's Huffman tables. Tables made for the picture save some percent of bytes but need a
// second pass over coefficients of the whole picture, so that no byte could leave before the last row is encoded.
// Progressive files are made that way in any case.
int encode_jpeg(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultQuality = 80;
  return vips_jpegsave_target(image, target, "Q", spec.quality.value_or(kDefaultQuality), "optimize_coding",
                              static_cast<gboolean>(spec.progressive), "interlace",
                              static_cast<gboolean>(spec.progressive), "strip", static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
