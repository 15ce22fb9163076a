#include "media/heif_header.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "media/byte_cursor.hpp"
#include "media/heif_boxes.hpp"
#include "media/heif_items.hpp"

namespace optimux::media {
namespace {

// Of the file, and of each box that is looked into. A picture of a thousand tiles has some thousand. Decoders keep a
// record of every box, which is many times as large as an empty one.
constexpr std::size_t kMostBoxes = 16'384;

std::uint32_t primary_item(std::span<const std::byte> pitm) {
  ByteCursor cursor(pitm);
  const bool is_wide = cursor.u8() > 0;
  cursor.skip(3);
  return is_wide ? cursor.u32be() : cursor.u16be();
}

// ISO/IEC 23008-12, section 9.3.2: which properties, counted from 1, belong to an item. One box of them.
void read_associations(std::span<const std::byte> ipma, heif::ItemProperties& indices_of_items) {
  ByteCursor cursor(ipma);
  const bool has_wide_items = cursor.u8() > 0;
  cursor.skip(2);
  const bool has_wide_indices = (cursor.u8() & 1U) != 0;
  const std::uint32_t items = cursor.u32be();
  for (std::uint32_t i = 0; i < items && !cursor.has_failed() && indices_of_items.size() < heif::kMostEntries; ++i) {
    const std::uint32_t id = has_wide_items ? cursor.u32be() : cursor.u16be();
    std::vector<std::size_t> indices(cursor.u8());
    for (std::size_t& index : indices) index = has_wide_indices ? cursor.u16be() & 0x7fffU : cursor.u8() & 0x7fU;
    if (!cursor.has_failed()) indices_of_items.emplace(id, std::move(indices));
  }
}

heif::ItemProperties item_properties_of(const std::vector<heif::Box>& iprp) {
  heif::ItemProperties indices;
  for (const heif::Box& box : iprp) {
    if (box.type == "ipma") read_associations(box.payload, indices);
  }
  return indices;
}

void apply_property(const heif::Box& property, SourceHeader& header, bool& is_turned) {
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
bool names_alpha(const heif::Box& property) {
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
  for (std::size_t boxes = 0; cursor.remaining() >= 8; ++boxes) {
    if (boxes == kMostBoxes) return too_many_parts("boxes", kMostBoxes);
    const heif::Box box = heif::next_box(cursor);
    if (cursor.has_failed()) return broken_media("heif: a box reaches past the end");
    // With two of them a decoder might read the one that was not checked.
    if (box.type == "meta" && !meta.empty()) return broken_media("heif: two meta boxes");
    if (box.type == "meta") meta = box.payload;
    if (box.type == "mdat") has_data = true;
  }
  if (meta.size() < 4) return broken_media("heif: no meta box");
  meta = meta.subspan(4);
  if (!has_data && heif::find(heif::boxes_of(meta), "idat").empty()) return broken_media("heif: ends before its data");
  return meta;
}

// The pixel limits see the primary item alone, but the decoder makes tiles and alpha as well. An item may be somewhat
// larger than the primary one (a tile that a small grid cuts off, another picture of a collection), not without bound.
base::Status check_item_sizes(const std::vector<heif::Box>& properties, std::uint64_t primary_pixels) {
  constexpr std::uint64_t kAlwaysAllowedPixels = std::uint64_t{2048} * 2048;
  for (const heif::Box& property : properties) {
    if (property.type == "ispe" && heif::size_of(property).pixels() > std::max(primary_pixels, kAlwaysAllowedPixels)) {
      return broken_media("heif: an item is larger than the primary one");
    }
  }
  return {};
}

}  // namespace

base::Result<SourceHeader> read_heif_header(std::span<const std::byte> bytes, Format format) {
  const auto meta = find_meta(bytes);
  if (!meta) return base::fail(meta.error());
  const auto boxes = heif::boxes_of(*meta);
  const auto iprp = heif::boxes_of(heif::find(boxes, "iprp"));
  const auto properties = heif::boxes_of(heif::find(iprp, "ipco"));
  const heif::ItemProperties indices = item_properties_of(iprp);

  for (const auto* level : {&boxes, &iprp, &properties}) {
    if (level->size() > kMostBoxes) return too_many_parts("boxes", kMostBoxes);
  }

  SourceHeader header;
  header.format = format;
  bool is_turned = false;
  if (const auto primary = indices.find(primary_item(heif::find(boxes, "pitm"))); primary != indices.end()) {
    for (const std::size_t index : primary->second) {
      if (index >= 1 && index <= properties.size()) apply_property(properties[index - 1], header, is_turned);
    }
  }
  if (header.width == 0 || header.height == 0) return broken_media("heif: the primary item has no size");
  const std::uint64_t pixels = static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
  if (const auto fit = check_item_sizes(properties, pixels); !fit) return base::fail(fit.error());
  if (const auto fit = heif::check_item_data(bytes, boxes, properties, indices); !fit) return base::fail(fit.error());
  if (is_turned) std::swap(header.width, header.height);
  header.has_alpha = std::any_of(properties.begin(), properties.end(), names_alpha);
  return header;
}

}  // namespace optimux::media
