#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace optimux::media {

/// The tags of TIFF 6.0 that the product looks at.
enum class TiffTag : std::uint16_t {
  kImageWidth = 256,
  kImageLength = 257,
  kBitsPerSample = 258,
  kPhotometric = 262,
  kOrientation = 274,
  kSamplesPerPixel = 277,
  kRowsPerStrip = 278,
  kTileWidth = 322,
  kTileLength = 323,
  kExtraSamples = 338,
  kIccProfile = 34675,
};

/// One image file directory: the first value of every entry that holds BYTE, SHORT or LONG, the types that TIFF 6.0 has
/// for the whole numbers among its tags.
class TiffDirectory {
 public:
  struct Entry {
    std::uint16_t tag = 0;
    std::uint32_t count = 0;
    std::optional<std::uint32_t> first_value;  ///< Nothing for another type or a place past the end.
  };

  /// The first value of a tag; nothing when the directory lacks it, holds it as another type, or names a place for it
  /// that lies past the end. Decoders may read a number where this reads none.
  std::optional<std::uint32_t> value(TiffTag tag) const;
  /// Whether the directory has a tag, of whatever type.
  bool has(TiffTag tag) const { return find(tag) != nullptr; }
  /// How many values a tag says it has; 0 when the directory lacks it.
  std::uint32_t count(TiffTag tag) const;
  /// 1 to 8; 1 when absent or out of range.
  int orientation() const;

 private:
  friend class TiffReader;
  /// The first of the entries of a tag, which is the one that decoders take; null when there is none.
  const Entry* find(TiffTag tag) const;

  std::vector<Entry> entries_;
};

/// The place of a directory in its file.
struct TiffDirectoryExtent {
  std::size_t entries = 0;
  std::size_t bytes = 0;   ///< Of its count and its entries.
  std::uint32_t next = 0;  ///< Offset of the next directory, 0 after the last.
};

/// Reads the directories of a TIFF structure, in a file of its own or as EXIF within another. Every offset is checked
/// against the bytes, which must outlive the reader.
class TiffReader {
 public:
  /// Nothing when the bytes do not start like a TIFF.
  static std::optional<TiffReader> open(std::span<const std::byte> bytes);

  /// Offset of the first directory.
  std::uint32_t first_directory() const { return first_; }
  /// Where the directory at an offset ends and which one follows, without a look at its entries; nothing when it
  /// reaches past the end.
  std::optional<TiffDirectoryExtent> measure_directory(std::uint32_t offset) const;
  /// The directory at an offset; nothing when it reaches past the end.
  std::optional<TiffDirectory> read_directory(std::uint32_t offset) const;

 private:
  TiffReader(std::span<const std::byte> bytes, bool is_big_endian) : bytes_(bytes), is_big_endian_(is_big_endian) {}
  TiffDirectory::Entry read_entry(std::size_t offset) const;

  std::span<const std::byte> bytes_;
  bool is_big_endian_;
  std::uint32_t first_ = 0;
};

}  // namespace optimux::media
