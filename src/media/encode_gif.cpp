#include "media/encode_gif.hpp"

#include <algorithm>

namespace optimux::media {

int encode_gif(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultEffort = 7;
  return vips_gifsave_target(image, target, "effort", std::clamp(spec.effort.value_or(kDefaultEffort), 1, 10), "strip",
                             static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
