#include "media/tiff_header.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "media/tiff_directory.hpp"

namespace optimux::media {
namespace {

// More pages than any document has; a chain of directories that is longer goes in circles.
constexpr int kMostPages = 100'000;

// TIFF 6.0: PhotometricInterpretation.
constexpr std::uint32_t kBlackIsZero = 1;
constexpr std::uint32_t kSeparated = 5;
constexpr std::uint32_t kCieLab = 8;
constexpr std::uint32_t kIccLab = 9;

std::string_view colour_space_of(std::uint32_t photometric, int bits) {
  if (photometric <= kBlackIsZero) return bits > 8 ? "grey16" : "grey";
  if (photometric == kSeparated) return "cmyk";
  if (photometric == kCieLab || photometric == kIccLab) return "lab";
  return bits > 8 ? "rgb16" : "srgb";
}

SourceHeader header_of(const TiffDirectory& directory) {
  SourceHeader header;
  header.format = Format::kTiff;
  header.width = directory.value(TiffTag::kImageWidth).value_or(0);
  header.height = directory.value(TiffTag::kImageLength).value_or(0);
  header.bits = static_cast<int>(std::min(directory.value(TiffTag::kBitsPerSample).value_or(1), 64U));
  header.colour_space = colour_space_of(directory.value(TiffTag::kPhotometric).value_or(kBlackIsZero), header.bits);
  header.has_alpha = directory.has(TiffTag::kExtraSamples);
  header.has_profile = directory.has(TiffTag::kIccProfile);
  header.orientation = directory.orientation();
  return header;
}

}  // namespace

base::Result<SourceHeader> read_tiff_header(std::span<const std::byte> bytes, int page) {
  const auto reader = TiffReader::open(bytes);
  if (!reader) return broken_media("tiff: no header");
  std::optional<SourceHeader> header;
  int pages = 0;
  for (std::uint32_t offset = reader->first_directory(); offset != 0; ++pages) {
    const auto directory = reader->read_directory(offset);
    if (!directory) return broken_media("tiff: a directory reaches past the end");
    if (pages == kMostPages) return broken_media("tiff: the chain of directories does not end");
    if (pages == page) header = header_of(*directory);
    offset = directory->next();
  }
  if (!header) {
    return base::fail(base::ErrorCode::kInvalidParameter,
                      "page: the image has " + std::to_string(pages) + " pages, counted from 0");
  }
  if (header->width <= 0 || header->height <= 0) return broken_media("tiff: no size");
  header->pages = pages;
  return *header;
}

}  // namespace optimux::media
