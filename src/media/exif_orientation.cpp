#include "media/exif_orientation.hpp"

#include <string_view>

#include "media/tiff_directory.hpp"

namespace optimux::media {

int exif_orientation(std::span<const std::byte> exif) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  const std::string_view head(reinterpret_cast<const char*>(exif.data()), exif.size());
  const auto tiff = head.starts_with(kPrefix) ? exif.subspan(kPrefix.size()) : exif;
  const auto reader = TiffReader::open(tiff);
  if (!reader) return 1;
  const auto directory = reader->read_directory(reader->first_directory());
  return directory ? directory->orientation() : 1;
}

}  // namespace optimux::media
