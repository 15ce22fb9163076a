#pragma once

#include <vips/vips.h>

#include <memory>
#include <utility>

#include "base/result.hpp"
#include "media/vips_error.hpp"

// For the sources of this layer only; no other header includes it but those that say the same.

namespace optimux::media {

/// Gives a GObject's reference back.
struct ObjectUnref {
  void operator()(void* object) const { g_object_unref(object); }
};

/// Owns one reference to a libvips image. What an image is made from stays alive as long as the image.
using ImageHandle = std::unique_ptr<VipsImage, ObjectUnref>;
using RegionHandle = std::unique_ptr<VipsRegion, ObjectUnref>;

/// Another reference to the same image.
inline ImageHandle share(VipsImage* image) {
  g_object_ref(image);
  return ImageHandle(image);
}

/// Wraps one call of libvips that makes an image: `call` takes the place for it and returns 0 or -1. A failure is
/// kBrokenMedia: all that the layer asks of libvips is valid for a sound picture.
template <class Call>
base::Result<ImageHandle> make_image(Call&& call) {
  VipsImage* image = nullptr;
  if (std::forward<Call>(call)(&image) != 0) return base::fail(take_vips_error(base::ErrorCode::kBrokenMedia));
  return ImageHandle(image);
}

}  // namespace optimux::media
