#include "media/encode_gif.hpp"

#include <algorithm>

namespace optimux::media {

namespace {

// libvips 8.14 writes how often an animation is repeated into every file, so that a still looks like an animation, but
// for what is shown once.
int shown_once(VipsImage* image, ImageHandle& still) {
  VipsImage* copy = nullptr;
  if (vips_copy(image, &copy, nullptr) != 0) return -1;
  still.reset(copy);
  vips_image_set_int(copy, "loop", 1);
  return 0;
}

}  // namespace

int encode_gif(VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  constexpr int kDefaultEffort = 7;
  const bool is_still = vips_image_get_height(image) == vips_image_get_page_height(image);
  ImageHandle still;
  if (is_still && shown_once(image, still) != 0) return -1;
  return vips_gifsave_target(is_still ? still.get() : image, target, "effort",
                             std::clamp(spec.effort.value_or(kDefaultEffort), 1, 10), "strip",
                             static_cast<gboolean>(strip), nullptr);
}

}  // namespace optimux::media
