#include "media/tiff_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "media/tiff_directory.hpp"

namespace optimux::media {
namespace {

// More pages than a document has. libtiff 4.5 walks all of them whichever is wanted, and cannot be stopped meanwhile:
// so many take it 0.3 s, ten times as many 4 s.
constexpr std::size_t kMostPages = 10'000;

// CMYK and alpha. Pictures for people have no more, and every sample costs the decoder time and memory.
constexpr std::uint32_t kMostSamples = 5;

// What decoding a page costs follows from these.
constexpr std::array kCostTags = {TiffTag::kImageWidth,      TiffTag::kImageLength,  TiffTag::kBitsPerSample,
                                  TiffTag::kSamplesPerPixel, TiffTag::kRowsPerStrip, TiffTag::kTileWidth,
                                  TiffTag::kTileLength};

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

// Files have it as one BYTE, SHORT or LONG; BitsPerSample once for each sample.
bool is_plain_number(const TiffDirectory& directory, TiffTag tag) {
  return directory.value(tag).has_value() && (tag == TiffTag::kBitsPerSample || directory.count(tag) == 1);
}

// libtiff reads signed numbers and those of 64 bits too. A value that it sees and we do not would go past every limit.
bool has_plain_numbers(const TiffDirectory& directory) {
  return std::all_of(kCostTags.begin(), kCostTags.end(),
                     [&](TiffTag tag) { return !directory.has(tag) || is_plain_number(directory, tag); });
}

std::uint32_t samples_of(const TiffDirectory& directory) {
  return directory.value(TiffTag::kSamplesPerPixel).value_or(1);
}

std::uint32_t bits_of(const TiffDirectory& directory) {
  return std::min(directory.value(TiffTag::kBitsPerSample).value_or(1), 64U);
}

// A strip as it is unpacked and beside it as pixels, or two rows of tiles and the row that is cut out of them. As
// fractions, because two sides of 32 bits can overflow 64 bits; what is cut off at the most is over every limit.
std::uint64_t decoder_bytes_of(const TiffDirectory& directory, const SourceHeader& header) {
  constexpr double kMostBytes = 1e18;
  const double tile_width = directory.value(TiffTag::kTileWidth).value_or(0);
  const double strip_rows = directory.value(TiffTag::kRowsPerStrip).value_or(UINT32_MAX);
  const bool is_tiled = tile_width > 0;
  const double rows = is_tiled ? directory.value(TiffTag::kTileLength).value_or(0)
                               : std::min(static_cast<double>(header.height), strip_rows);
  const double row_bytes =
      std::max(static_cast<double>(header.width), tile_width) * header.samples * std::max(header.bits, 8) / 8;
  return static_cast<std::uint64_t>(std::min((is_tiled ? 3 : 2) * rows * row_bytes, kMostBytes));
}

SourceHeader header_of(const TiffDirectory& directory) {
  SourceHeader header;
  header.format = Format::kTiff;
  header.width = directory.value(TiffTag::kImageWidth).value_or(0);
  header.height = directory.value(TiffTag::kImageLength).value_or(0);
  header.bits = static_cast<int>(bits_of(directory));
  header.samples = static_cast<int>(samples_of(directory));
  header.decoder_bytes = decoder_bytes_of(directory, header);
  header.colour_space = colour_space_of(directory.value(TiffTag::kPhotometric).value_or(kBlackIsZero), header.bits);
  header.has_alpha = directory.has(TiffTag::kExtraSamples);
  header.has_profile = directory.has(TiffTag::kIccProfile);
  header.orientation = directory.orientation();
  return header;
}

// libvips puts pages below each other that have all of this in common.
bool are_alike(const TiffDirectory& left, const TiffDirectory& right) {
  constexpr std::array kTags = {TiffTag::kImageWidth,  TiffTag::kImageLength,     TiffTag::kBitsPerSample,
                                TiffTag::kPhotometric, TiffTag::kSamplesPerPixel, TiffTag::kTileWidth,
                                TiffTag::kTileLength};
  return std::all_of(kTags.begin(), kTags.end(), [&](TiffTag tag) { return left.value(tag) == right.value(tag); });
}

/// How many pages from `first` on are like it.
int count_like_pages(const TiffReader& reader, std::span<const std::uint32_t> pages, const TiffDirectory& first) {
  int count = 1;
  for (const std::uint32_t offset : pages.subspan(1)) {
    const auto next = reader.read_directory(offset);
    if (!next || !has_plain_numbers(*next) || !are_alike(first, *next)) break;
    ++count;
  }
  return count;
}

// The offsets of all directories. Every byte of the file can belong to one of them only, which bounds what a chain that
// goes in circles, or directories that lie within each other, can cost us and the decoder behind.
base::Result<std::vector<std::uint32_t>> find_pages(const TiffReader& reader, std::size_t file_bytes) {
  std::vector<std::uint32_t> pages;
  std::unordered_set<std::uint32_t> seen;
  std::size_t directory_bytes = 0;
  for (std::uint32_t offset = reader.first_directory(); offset != 0;) {
    const auto extent = reader.measure_directory(offset);
    if (!extent) return broken_media("tiff: a directory reaches past the end");
    directory_bytes += extent->bytes;
    if (!seen.insert(offset).second) return broken_media("tiff: the chain of directories goes in circles");
    if (directory_bytes > file_bytes) return broken_media("tiff: directories lie within each other");
    if (pages.size() == kMostPages) return broken_media("tiff: too many directories");
    pages.push_back(offset);
    offset = extent->next;
  }
  return pages;
}

}  // namespace

base::Result<SourceHeader> read_tiff_header(std::span<const std::byte> bytes, int page) {
  const auto reader = TiffReader::open(bytes);
  if (!reader) return broken_media("tiff: no header");
  const auto pages = find_pages(*reader, bytes.size());
  if (!pages) return base::fail(pages.error());
  const int count = static_cast<int>(pages->size());
  if (count == 0) return broken_media("tiff: no directory");
  if (page < 0 || page >= count) return no_such_page(count);
  const auto directory = reader->read_directory((*pages)[static_cast<std::size_t>(page)]);
  if (!directory) return broken_media("tiff: a directory reaches past the end");
  if (!has_plain_numbers(*directory)) return broken_media("tiff: a number of a type or count that files do not have");
  if (samples_of(*directory) > kMostSamples) return broken_media("tiff: too many samples a pixel");
  SourceHeader header = header_of(*directory);
  if (header.width <= 0 || header.height <= 0) return broken_media("tiff: no size");
  header.pages = count;
  header.like_pages = count_like_pages(*reader, std::span(*pages).subspan(static_cast<std::size_t>(page)), *directory);
  return header;
}

}  // namespace optimux::media
