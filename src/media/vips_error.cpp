#include "media/vips_error.hpp"

#include <glib.h>
#include <vips/vips.h>

#include <memory>
#include <string>

namespace optimux::media {
namespace {

std::string take_text() {
  const std::unique_ptr<char, decltype(&g_free)> text(vips_error_buffer_copy(), g_free);
  std::string cause = text ? text.get() : "";
  while (!cause.empty() && cause.back() == '\n') cause.pop_back();
  return cause;
}

}  // namespace

base::Error take_vips_error(base::ErrorCode code) {
  const bool is_source = code == base::ErrorCode::kBrokenMedia;
  return {code, is_source ? "the image is damaged or cut off" : "the rendition could not be made", take_text()};
}

}  // namespace optimux::media
