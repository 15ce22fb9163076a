#include "media/tiff_directory.hpp"

#include <algorithm>

#include "media/byte_cursor.hpp"

namespace optimux::media {
namespace {

constexpr std::size_t kCountBytes = 2;
constexpr std::size_t kEntryBytes = 12;
// TIFF 6.0, section 2: field types.
constexpr std::uint16_t kByte = 1;
constexpr std::uint16_t kShort = 3;
constexpr std::uint16_t kLong = 4;

std::uint32_t read_number(ByteCursor& cursor, std::size_t bytes, bool is_big_endian) {
  if (bytes == 1) return cursor.u8();
  if (bytes == 2) return is_big_endian ? cursor.u16be() : cursor.u16le();
  return is_big_endian ? cursor.u32be() : cursor.u32le();
}

std::optional<std::size_t> bytes_of(std::uint16_t type) {
  switch (type) {
    case kByte: return 1;
    case kShort: return 2;
    case kLong: return 4;
    default: return std::nullopt;
  }
}

}  // namespace

const TiffDirectory::Entry* TiffDirectory::find(TiffTag tag) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [tag](const Entry& entry) { return entry.tag == static_cast<std::uint16_t>(tag); });
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> TiffDirectory::value(TiffTag tag) const {
  const Entry* entry = find(tag);
  return entry == nullptr ? std::nullopt : entry->first_value;
}

std::uint32_t TiffDirectory::count(TiffTag tag) const {
  const Entry* entry = find(tag);
  return entry == nullptr ? 0 : entry->count;
}

int TiffDirectory::orientation() const {
  const std::uint32_t stored = value(TiffTag::kOrientation).value_or(1);
  return stored >= 1 && stored <= 8 ? static_cast<int>(stored) : 1;
}

std::optional<TiffReader> TiffReader::open(std::span<const std::byte> bytes) {
  ByteCursor cursor(bytes);
  const std::string_view order = cursor.text(2);
  if (order != "II" && order != "MM") return std::nullopt;
  TiffReader reader(bytes, order == "MM");
  const std::uint32_t magic = read_number(cursor, 2, reader.is_big_endian_);
  reader.first_ = read_number(cursor, 4, reader.is_big_endian_);
  if (cursor.has_failed() || magic != 42) return std::nullopt;
  return reader;
}

std::optional<TiffDirectoryExtent> TiffReader::measure_directory(std::uint32_t offset) const {
  ByteCursor cursor(bytes_, offset);
  TiffDirectoryExtent extent;
  extent.entries = read_number(cursor, kCountBytes, is_big_endian_);
  extent.bytes = kCountBytes + extent.entries * kEntryBytes;
  cursor.skip(extent.entries * kEntryBytes);
  if (cursor.has_failed()) return std::nullopt;
  extent.next = read_number(cursor, 4, is_big_endian_);
  if (cursor.has_failed()) extent.next = 0;  // EXIF blocks often end without it.
  return extent;
}

std::optional<TiffDirectory> TiffReader::read_directory(std::uint32_t offset) const {
  const auto extent = measure_directory(offset);
  if (!extent) return std::nullopt;
  TiffDirectory directory;
  directory.entries_.reserve(extent->entries);
  for (std::size_t i = 0; i < extent->entries; ++i) {
    directory.entries_.push_back(read_entry(offset + kCountBytes + i * kEntryBytes));
  }
  return directory;
}

TiffDirectory::Entry TiffReader::read_entry(std::size_t offset) const {
  ByteCursor cursor(bytes_, offset);
  TiffDirectory::Entry entry;
  entry.tag = static_cast<std::uint16_t>(read_number(cursor, 2, is_big_endian_));
  const auto type = static_cast<std::uint16_t>(read_number(cursor, 2, is_big_endian_));
  entry.count = read_number(cursor, 4, is_big_endian_);
  const auto size = bytes_of(type);
  if (!size) return entry;
  if (entry.count > 4 / *size) cursor.seek(read_number(cursor, 4, is_big_endian_));
  const std::uint32_t value = read_number(cursor, *size, is_big_endian_);
  if (!cursor.has_failed()) entry.first_value = value;
  return entry;
}

}  // namespace optimux::media
