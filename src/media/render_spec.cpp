#include "media/render_spec.hpp"

#include <array>
#include <cassert>

namespace optimux::media {
namespace {

struct FormatNames {
  Format format;
  std::string_view name;
  std::string_view content_type;
  std::string_view extension;
  bool is_writable;
};

constexpr std::array<FormatNames, 7> kFormats = {{
    {Format::kJpeg, "jpeg", "image/jpeg", "jpg", true},
    {Format::kPng, "png", "image/png", "png", true},
    {Format::kWebp, "webp", "image/webp", "webp", true},
    {Format::kAvif, "avif", "image/avif", "avif", true},
    {Format::kGif, "gif", "image/gif", "gif", true},
    {Format::kTiff, "tiff", "image/tiff", "tiff", false},
    {Format::kHeic, "heic", "image/heic", "heic", false},
}};

const FormatNames& names_of(Format format) {
  const auto index = static_cast<std::size_t>(format);
  assert(index < kFormats.size() && kFormats[index].format == format && "the table is in the enum's order");
  return kFormats[index];
}

}  // namespace

std::string_view name_of(Format format) {
  return names_of(format).name;
}
std::string_view content_type_of(Format format) {
  return names_of(format).content_type;
}
std::string_view extension_of(Format format) {
  return names_of(format).extension;
}
bool is_writable(Format format) {
  return names_of(format).is_writable;
}

}  // namespace optimux::media
