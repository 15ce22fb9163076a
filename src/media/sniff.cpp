#include "media/sniff.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "media/byte_cursor.hpp"

namespace optimux::media {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kRead = "JPEG, PNG, WebP, GIF, TIFF, HEIC and AVIF";

// ISO/IEC 14496-12, section 4.3: the major brand, then the compatible ones. `mif1` and `msf1` name the structure and
// not the codec, so the first brand that names a codec decides (ISO/IEC 23008-12, section 10; AV1 Image File Format,
// section 8).
base::Result<Format> sniff_brands(std::span<const std::byte> bytes) {
  constexpr std::size_t kMostBrands = 32;
  ByteCursor cursor(bytes);
  const std::size_t box_size = cursor.u32be();
  cursor.skip(4);
  const std::size_t end = std::min({box_size, bytes.size(), std::size_t{16 + 4 * kMostBrands}});
  while (cursor.position() + 4 <= end) {
    const bool is_minor_version = cursor.position() == 12;
    const std::string_view brand = cursor.text(4);
    if (is_minor_version) continue;
    if (brand == "avif"sv || brand == "avis"sv) return Format::kAvif;
    if (brand == "heic"sv || brand == "heix"sv || brand == "hevc"sv || brand == "hevx"sv || brand == "heim"sv ||
        brand == "heis"sv) {
      return Format::kHeic;
    }
  }
  return base::fail(base::ErrorCode::kUnsupportedMedia,
                    "the media container is not one that is read: " + std::string(kRead));
}

}  // namespace

base::Result<Format> sniff(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  if (head.starts_with("\xff\xd8\xff"sv)) return Format::kJpeg;
  if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return Format::kPng;
  if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) return Format::kGif;
  if (head.starts_with("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "WEBP"sv) return Format::kWebp;
  if (head.starts_with("II\x2a\0"sv) || head.starts_with("MM\0\x2a"sv)) return Format::kTiff;
  if (head.size() >= 12 && head.substr(4, 4) == "ftyp"sv) return sniff_brands(bytes);
  const std::string what = bytes.empty() ? "an empty source is not" : "the bytes are not";
  return base::fail(base::ErrorCode::kUnsupportedMedia, what + " an image type that is read: " + std::string(kRead));
}

}  // namespace optimux::media
