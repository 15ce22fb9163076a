#include "media/heif_header.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "media/byte_cursor.hpp"

namespace optimux::media {
namespace {

// ISO/IEC 14496-12, section 4.2: size, type, perhaps a 64-bit size, payload.
struct Box {
  std::string_view type;
  std::span<const std::byte> payload;
};

/// The next box, or nothing when it reaches past the end, which also fails the cursor.
Box next_box(ByteCursor& cursor) {
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

std::vector<Box> boxes_of(std::span<const std::byte> payload) {
  std::vector<Box> boxes;
  ByteCursor cursor(payload);
  while (cursor.remaining() >= 8) {
    const Box box = next_box(cursor);
    if (cursor.has_failed()) break;
    boxes.push_back(box);
  }
  return boxes;
}

std::span<const std::byte> find(const std::vector<Box>& boxes, std::string_view type) {
  const auto found = std::find_if(boxes.begin(), boxes.end(), [type](const Box& box) { return box.type == type; });
  return found == boxes.end() ? std::span<const std::byte>() : found->payload;
}

std::uint32_t primary_item(std::span<const std::byte> pitm) {
  ByteCursor cursor(pitm);
  const bool is_wide = cursor.u8() > 0;
  cursor.skip(3);
  return is_wide ? cursor.u32be() : cursor.u16be();
}

// ISO/IEC 23008-12, section 9.3.2: which properties, counted from 1, belong to an item.
std::vector<std::size_t> properties_of(std::uint32_t item, std::span<const std::byte> ipma) {
  ByteCursor cursor(ipma);
  const bool has_wide_items = cursor.u8() > 0;
  cursor.skip(2);
  const bool has_wide_indices = (cursor.u8() & 1U) != 0;
  const std::uint32_t items = cursor.u32be();
  for (std::uint32_t i = 0; i < items && !cursor.has_failed(); ++i) {
    const std::uint32_t id = has_wide_items ? cursor.u32be() : cursor.u16be();
    std::vector<std::size_t> indices(cursor.u8());
    for (std::size_t& index : indices) index = has_wide_indices ? cursor.u16be() & 0x7fffU : cursor.u8() & 0x7fU;
    if (id == item && !cursor.has_failed()) return indices;
  }
  return {};
}

void apply_property(const Box& property, SourceHeader& header, bool& is_turned) {
  ByteCursor cursor(property.payload);
  if (property.type == "ispe") {
    cursor.skip(4);
    header.width = cursor.u32be();
    header.height = cursor.u32be();
  } else if (property.type == "irot") {
    is_turned = (cursor.u8() & 1U) != 0;
  } else if (property.type == "pixi") {
    cursor.skip(5);
    header.bits = cursor.u8();
  } else if (property.type == "colr") {
    const std::string_view kind = cursor.text(4);
    if (kind == "prof" || kind == "rICC") header.has_profile = true;
  }
}

// ISO/IEC 23008-12, section 6.5.8: auxC names what an auxiliary picture is, by a URN that ends in `alpha` or in MPEG's
// number for it.
bool names_alpha(const Box& property) {
  if (property.type != "auxC") return false;
  ByteCursor cursor(property.payload);
  cursor.skip(4);
  const std::string_view urn = cursor.text(cursor.remaining());
  return urn.find("alpha") != std::string_view::npos || urn.find("hevc:2015:auxid:1") != std::string_view::npos;
}

base::Result<std::span<const std::byte>> find_meta(std::span<const std::byte> bytes) {
  std::span<const std::byte> meta;
  bool has_data = false;
  ByteCursor cursor(bytes);
  while (cursor.remaining() >= 8) {
    const Box box = next_box(cursor);
    if (cursor.has_failed()) return broken_media("heif: a box reaches past the end");
    if (box.type == "meta" && meta.empty()) meta = box.payload;
    if (box.type == "mdat") has_data = true;
  }
  if (meta.size() < 4) return broken_media("heif: no meta box");
  meta = meta.subspan(4);
  if (!has_data && find(boxes_of(meta), "idat").empty()) return broken_media("heif: ends before its data");
  return meta;
}

}  // namespace

base::Result<SourceHeader> read_heif_header(std::span<const std::byte> bytes, Format format) {
  const auto meta = find_meta(bytes);
  if (!meta) return base::fail(meta.error());
  const auto boxes = boxes_of(*meta);
  const auto item_properties = boxes_of(find(boxes, "iprp"));
  const auto properties = boxes_of(find(item_properties, "ipco"));
  const std::uint32_t item = primary_item(find(boxes, "pitm"));

  SourceHeader header;
  header.format = format;
  bool is_turned = false;
  for (const std::size_t index : properties_of(item, find(item_properties, "ipma"))) {
    if (index >= 1 && index <= properties.size()) apply_property(properties[index - 1], header, is_turned);
  }
  if (header.width == 0 || header.height == 0) return broken_media("heif: the primary item has no size");
  if (is_turned) std::swap(header.width, header.height);
  header.has_alpha = std::any_of(properties.begin(), properties.end(), names_alpha);
  return header;
}

}  // namespace optimux::media
