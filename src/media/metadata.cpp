#include "media/metadata.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "media/copyright.hpp"

namespace optimux::media {
namespace {

constexpr const char* kDelay = "delay";
constexpr const char* kLoop = "loop";
// Exif 2.32, section 4.6.5: ColorSpace.
constexpr const char* kSrgb = "1";

void* collect_name(VipsImage* /*image*/, const char* name, GValue* /*value*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return nullptr;
}

std::vector<std::string> names_of(VipsImage* image) {
  std::vector<std::string> names;
  vips_image_map(image, collect_name, &names);
  return names;
}

bool is_timing(std::string_view name) {
  return name == kDelay || name == kLoop || name == VIPS_META_PAGE_HEIGHT;
}

bool is_copyright(std::string_view name) {
  return name == "exif-ifd0-Copyright" || name == "exif-ifd0-Artist";
}

bool is_outdated(std::string_view name) {
  return name == VIPS_META_ICC_NAME || name == VIPS_META_ORIENTATION || name == "exif-ifd0-Orientation" ||
         name == "jpeg-thumbnail-data" || name.starts_with("exif-ifd1-") || name == "gif-palette";
}

bool is_carried(std::string_view name, bool strip) {
  if (is_timing(name)) return true;
  return strip ? is_copyright(name) : !is_outdated(name);
}

bool is_written(std::string_view name) {
  return name.starts_with("exif-") || name == VIPS_META_XMP_NAME || name == VIPS_META_IPTC_NAME;
}

// JPEG holds 64 KiB of it in its one segment, and libvips fails above a megabyte; whose block is larger loses it.
constexpr std::size_t kMostExifBytes = 60'000;

std::string_view blob(VipsImage* image, const char* name) {
  const void* data = nullptr;
  std::size_t size = 0;
  if (vips_image_get_typeof(image, name) != VIPS_TYPE_BLOB || vips_image_get_blob(image, name, &data, &size) != 0) {
    return {};
  }
  return {static_cast<const char*>(data), size};
}

std::string rights_of(VipsImage* image) {
  const std::string rights = rights_of_xmp(blob(image, VIPS_META_XMP_NAME));
  return rights.empty() ? rights_of_iptc(blob(image, VIPS_META_IPTC_NAME)) : rights;
}

void set_rights(VipsImage* image, const std::string& rights) {
  const std::string packet = xmp_with_rights(rights);
  vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, packet.data(), packet.size());
}

// libvips writes EXIF fields into the block that an image carries, and into a PNG only if it carries one: so one that
// holds an empty little-endian TIFF directory.
void start_exif_block(VipsImage* image) {
  constexpr std::string_view kEmptyExif("Exif\0\0II\x2a\0\x08\0\0\0\0\0\0\0\0\0", 20);
  vips_image_set_blob_copy(image, VIPS_META_EXIF_NAME, kEmptyExif.data(), kEmptyExif.size());
}

void set_timing(VipsImage* joined, VipsImage* source, std::size_t first, std::size_t count) {
  int* delays = nullptr;
  int available = 0;
  if (vips_image_get_typeof(source, kDelay) != 0 &&
      vips_image_get_array_int(source, kDelay, &delays, &available) == 0) {
    std::vector<int> chosen;
    for (std::size_t i = first; i < first + count && i < static_cast<std::size_t>(available); ++i) {
      chosen.push_back(delays[i]);
    }
    vips_image_set_array_int(joined, kDelay, chosen.data(), static_cast<int>(chosen.size()));
  }
  int loop = 0;
  if (vips_image_get_typeof(source, kLoop) != 0 && vips_image_get_int(source, kLoop, &loop) == 0) {
    vips_image_set_int(joined, kLoop, loop);
  }
}

}  // namespace

base::Result<LabelledImage> label(VipsImage* image, bool strip) {
  auto copy = make_image([&](VipsImage** out) { return vips_copy(image, out, nullptr); });
  if (!copy) return base::fail(copy.error());
  LabelledImage labelled{std::move(*copy), false};
  VipsImage* labels = labelled.image.get();
  const std::string rights = strip ? rights_of(labels) : std::string();
  const bool drops_exif = strip || blob(labels, VIPS_META_EXIF_NAME).size() > kMostExifBytes;
  bool has_exif = false;
  for (const std::string& name : names_of(labels)) {
    const bool is_exif = name.starts_with("exif-");
    if (!is_carried(name, strip || (is_exif && drops_exif))) {
      vips_image_remove(labels, name.c_str());
    } else if (is_written(name)) {
      labelled.has_metadata = true;
      if (is_exif) has_exif = true;
    }
  }
  if (!rights.empty()) {
    set_rights(labels, rights);
    labelled.has_metadata = true;
  }
  if (has_exif && drops_exif) start_exif_block(labels);
  // What the pixels are, whatever the source's were; libvips would write that they are of no known space.
  if (labelled.has_metadata) vips_image_set_string(labels, "exif-ifd2-ColorSpace", kSrgb);
  return labelled;
}

base::Result<ImageHandle> join_frames(const std::vector<ImageHandle>& frames, VipsImage* source, int first) {
  std::vector<VipsImage*> images(frames.size());
  std::transform(frames.begin(), frames.end(), images.begin(), [](const ImageHandle& frame) { return frame.get(); });
  auto joined = make_image([&](VipsImage** out) {
    return vips_arrayjoin(images.data(), out, static_cast<int>(images.size()), "across", 1, nullptr);
  });
  if (!joined) return joined;
  joined = make_image([&](VipsImage** out) { return vips_copy(joined->get(), out, nullptr); });
  if (!joined) return joined;
  vips_image_set_int(joined->get(), VIPS_META_PAGE_HEIGHT, vips_image_get_height(images[0]));
  set_timing(joined->get(), source, static_cast<std::size_t>(first), frames.size());
  return joined;
}

}  // namespace optimux::media
