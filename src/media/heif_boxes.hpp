#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "media/byte_cursor.hpp"

// The structure of HEIF files, for the sources of this layer only.

namespace optimux::media::heif {

/// ISO/IEC 14496-12, section 4.2: size, type, perhaps a 64-bit size, payload.
struct Box {
  std::string_view type;
  std::span<const std::byte> payload;
};

/// Far above what a picture has; without it a source of many empty entries would take many times its own size.
constexpr std::size_t kMostEntries = 65'536;

/// The next box, or nothing when it reaches past the end, which also fails the cursor.
inline Box next_box(ByteCursor& cursor) {
  constexpr std::uint64_t kSizeIs64Bit = 1;
  Box box;
  std::uint64_t header = 8;
  std::uint64_t size = cursor.u32be();
  box.type = cursor.text(4);
  if (size == kSizeIs64Bit) {
    size = cursor.u64be();
    header = 16;
  } else if (size == 0) {
    size = header + cursor.remaining();
  }
  if (size < header || size - header > cursor.remaining()) cursor.seek(SIZE_MAX);
  box.payload = cursor.bytes(static_cast<std::size_t>(size - header));
  return box;
}

/// The boxes that follow each other in a payload, up to one that reaches past its end, and `kMostEntries` at most.
inline std::vector<Box> boxes_of(std::span<const std::byte> payload) {
  std::vector<Box> boxes;
  ByteCursor cursor(payload);
  while (cursor.remaining() >= 8 && boxes.size() < kMostEntries) {
    const Box box = next_box(cursor);
    if (cursor.has_failed()) break;
    boxes.push_back(box);
  }
  return boxes;
}

/// The payload of the first box of a type; empty when there is none.
inline std::span<const std::byte> find(const std::vector<Box>& boxes, std::string_view type) {
  const auto found = std::find_if(boxes.begin(), boxes.end(), [type](const Box& box) { return box.type == type; });
  return found == boxes.end() ? std::span<const std::byte>() : found->payload;
}

/// The size of an item or of coded frames as the file gives it; may be absurd.
struct ItemSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t pixels() const { return std::uint64_t{width} * height; }
};

/// What an `ispe` property says (ISO/IEC 23008-12, section 6.5.3).
inline ItemSize size_of(const Box& ispe) {
  ByteCursor cursor(ispe.payload);
  cursor.skip(4);
  ItemSize size;
  size.width = cursor.u32be();
  size.height = cursor.u32be();
  return size;
}

/// Which properties, counted from 1, belong to an item.
using ItemProperties = std::map<std::uint32_t, std::vector<std::size_t>>;

}  // namespace optimux::media::heif
