#include "service/info_document.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

#include "media/render_spec.hpp"

namespace optimux::service {
namespace {

// The sum of the frames' delays has rounding noise; they are whole milliseconds.
double whole_milliseconds(double seconds) {
  return std::round(seconds * 1000) / 1000;
}

}  // namespace

std::string info_document(const media::ImageInfo& info) {
  nlohmann::ordered_json document = {{"format", media::name_of(info.format)},
                                     {"content_type", media::content_type_of(info.format)},
                                     {"width", info.width},
                                     {"height", info.height},
                                     {"pages", info.pages},
                                     {"duration", whole_milliseconds(info.duration)},
                                     {"has_alpha", info.has_alpha},
                                     {"colour_space", info.colour_space},
                                     {"has_profile", info.has_profile},
                                     {"bits", info.bits},
                                     {"orientation", info.orientation},
                                     {"is_progressive", info.is_progressive},
                                     {"bytes", info.bytes}};
  if (!info.blur_hash.empty()) document["blur_hash"] = info.blur_hash;
  // Texts of a source's metadata need not be UTF-8.
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace optimux::service
