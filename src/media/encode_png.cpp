#include "media/encode_png.hpp"

namespace optimux::media {

int encode_png(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultEffort = 6;
  return vips_pngsave_target(image, target, "compression", spec.effort.value_or(kDefaultEffort), "filter",
                             VIPS_FOREIGN_PNG_FILTER_ALL, "interlace", static_cast<gboolean>(spec.progressive), "strip",
                             static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
