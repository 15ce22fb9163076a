#include "media/heif_header.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "media/byte_cursor.hpp"
#include "media/heif_av1_sequence.hpp"

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

// Far above what a picture has; without it a source of many empty entries would take many times its own size.
constexpr std::size_t kMaxEntries = 65'536;

std::vector<Box> boxes_of(std::span<const std::byte> payload) {
  std::vector<Box> boxes;
  ByteCursor cursor(payload);
  while (cursor.remaining() >= 8 && boxes.size() < kMaxEntries) {
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

using ItemProperties = std::map<std::uint32_t, std::vector<std::size_t>>;

// ISO/IEC 23008-12, section 9.3.2: which properties, counted from 1, belong to an item. One box of them.
void read_associations(std::span<const std::byte> ipma, ItemProperties& indices_of_items) {
  ByteCursor cursor(ipma);
  const bool has_wide_items = cursor.u8() > 0;
  cursor.skip(2);
  const bool has_wide_indices = (cursor.u8() & 1U) != 0;
  const std::uint32_t items = cursor.u32be();
  for (std::uint32_t i = 0; i < items && !cursor.has_failed() && indices_of_items.size() < kMaxEntries; ++i) {
    const std::uint32_t id = has_wide_items ? cursor.u32be() : cursor.u16be();
    std::vector<std::size_t> indices(cursor.u8());
    for (std::size_t& index : indices) index = has_wide_indices ? cursor.u16be() & 0x7fffU : cursor.u8() & 0x7fU;
    if (!cursor.has_failed()) indices_of_items.emplace(id, std::move(indices));
  }
}

ItemProperties item_properties_of(const std::vector<Box>& iprp) {
  ItemProperties indices;
  for (const Box& box : iprp) {
    if (box.type == "ipma") read_associations(box.payload, indices);
  }
  return indices;
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
    // With two of them a decoder might read the one that was not checked.
    if (box.type == "meta" && !meta.empty()) return broken_media("heif: two meta boxes");
    if (box.type == "meta") meta = box.payload;
    if (box.type == "mdat") has_data = true;
  }
  if (meta.size() < 4) return broken_media("heif: no meta box");
  meta = meta.subspan(4);
  if (!has_data && find(boxes_of(meta), "idat").empty()) return broken_media("heif: ends before its data");
  return meta;
}

ItemSize size_of(const Box& ispe) {
  ByteCursor cursor(ispe.payload);
  cursor.skip(4);
  ItemSize size;
  size.width = cursor.u32be();
  size.height = cursor.u32be();
  return size;
}

// The pixel limits see the primary item alone, but the decoder makes tiles and alpha as well. An item may be somewhat
// larger than the primary one (a tile that a small grid cuts off, another picture of a collection), not without bound.
base::Status check_item_sizes(const std::vector<Box>& properties, std::uint64_t primary_pixels) {
  constexpr std::uint64_t kAlwaysAllowedPixels = 2048 * 2048;
  for (const Box& property : properties) {
    if (property.type == "ispe" && size_of(property).pixels() > std::max(primary_pixels, kAlwaysAllowedPixels)) {
      return broken_media("heif: an item is larger than the primary one");
    }
  }
  return {};
}

// ISO/IEC 14496-12, section 8.11.6: the items whose type is av01.
std::set<std::uint32_t> av1_items(std::span<const std::byte> iinf) {
  std::set<std::uint32_t> items;
  if (iinf.size() < 4) return items;
  const std::size_t entries_begin = iinf[0] == std::byte{0} ? 6 : 8;
  for (const Box& box : boxes_of(iinf.subspan(std::min(entries_begin, iinf.size())))) {
    ByteCursor cursor(box.payload);
    const bool is_wide = cursor.u8() > 2;
    cursor.skip(3);
    const std::uint32_t id = is_wide ? cursor.u32be() : cursor.u16be();
    cursor.skip(2);
    if (box.type == "infe" && cursor.text(4) == "av01") items.insert(id);
  }
  return items;
}

/// Checks the data of AV1 items against the sizes that the file gives them.
class Av1ItemCheck {
 public:
  Av1ItemCheck(std::span<const std::byte> file, const std::vector<Box>& meta, const std::vector<Box>& properties,
               const ItemProperties& indices)
      : file_(file),
        idat_(find(meta, "idat")),
        iloc_(find(meta, "iloc")),
        items_(av1_items(find(meta, "iinf"))),
        properties_(properties),
        indices_(indices) {}

  base::Status run();

 private:
  struct Widths {
    unsigned offset = 0, length = 0, base = 0, index = 0;  ///< Bytes: 0, 4 or 8.
  };

  base::Status check_item(ByteCursor& cursor, int version, const Widths& widths);
  base::Status check_data(std::uint32_t id, std::span<const std::byte> data) const;
  static std::uint64_t number(ByteCursor& cursor, unsigned width);

  std::span<const std::byte> file_;
  std::span<const std::byte> idat_;
  std::span<const std::byte> iloc_;
  std::set<std::uint32_t> items_;
  const std::vector<Box>& properties_;
  const ItemProperties& indices_;
  std::uint64_t bytes_left_ = 2 * std::uint64_t{file_.size()};  ///< Items that share bytes cannot ask for more.
};

std::uint64_t Av1ItemCheck::number(ByteCursor& cursor, unsigned width) {
  if (width == 0) return 0;
  if (width == 4) return cursor.u32be();
  if (width != 8) cursor.seek(SIZE_MAX);
  return cursor.u64be();
}

// ISO/IEC 14496-12, section 8.11.3.
base::Status Av1ItemCheck::run() {
  if (items_.empty()) return {};
  ByteCursor cursor(iloc_);
  const int version = cursor.u8();
  cursor.skip(3);
  const unsigned sizes = cursor.u16be();
  const Widths widths{sizes >> 12U, sizes >> 8U & 15U, sizes >> 4U & 15U, version > 0 ? sizes & 15U : 0};
  const std::uint32_t count = version < 2 ? cursor.u16be() : cursor.u32be();
  for (std::uint32_t i = 0; i < count && !cursor.has_failed(); ++i) {
    if (const auto fits = check_item(cursor, version, widths); !fits) return fits;
  }
  return cursor.has_failed() || version > 2 ? broken_media("heif: damaged item locations") : base::Status();
}

base::Status Av1ItemCheck::check_item(ByteCursor& cursor, int version, const Widths& widths) {
  const std::uint32_t id = version < 2 ? cursor.u16be() : cursor.u32be();
  const unsigned method = version > 0 ? cursor.u16be() & 15U : 0;
  const unsigned other_file = cursor.u16be();
  const std::uint64_t base = number(cursor, widths.base);
  const std::size_t extents = cursor.u16be();
  if (items_.count(id) == 0) {
    cursor.skip(extents * (widths.index + widths.offset + widths.length));
    return {};
  }
  if (method > 1 || other_file != 0) return broken_media("heif: AV1 data outside of the file");
  const auto source = method == 0 ? file_ : idat_;
  std::span<const std::byte> data;
  std::vector<std::byte> joined;
  for (std::size_t i = 0; i < extents && !cursor.has_failed(); ++i) {
    number(cursor, widths.index);
    const std::uint64_t offset = number(cursor, widths.offset);
    const std::uint64_t length = number(cursor, widths.length);
    // A length of zero would mean all of the file; no encoder writes it, and decoders differ about it.
    if (length == 0 || length > bytes_left_ || base > source.size() || offset > source.size() - base ||
        length > source.size() - base - offset) {
      return broken_media("heif: an item's data are not in the file");
    }
    bytes_left_ -= length;
    data = source.subspan(static_cast<std::size_t>(base + offset), static_cast<std::size_t>(length));
    if (extents > 1) joined.insert(joined.end(), data.begin(), data.end());
  }
  return check_data(id, extents > 1 ? joined : data);
}

base::Status Av1ItemCheck::check_data(std::uint32_t id, std::span<const std::byte> data) const {
  const auto indices = indices_.find(id);
  if (indices == indices_.end()) return broken_media("heif: an AV1 item without properties");
  ItemSize allowed;
  std::span<const std::byte> configuration;
  for (const std::size_t index : indices->second) {
    if (index < 1 || index > properties_.size()) continue;
    const Box& property = properties_[index - 1];
    if (property.type == "ispe") allowed = size_of(property);
    if (property.type == "av1C") configuration = property.payload;
  }
  // Decoders put the units of av1C, behind its four bytes, before the item's own.
  if (configuration.size() > 4) {
    if (const auto fits = check_av1_sequences(configuration.subspan(4), allowed); !fits) return fits;
  }
  return check_av1_sequences(data, allowed);
}

}  // namespace

base::Result<SourceHeader> read_heif_header(std::span<const std::byte> bytes, Format format) {
  const auto meta = find_meta(bytes);
  if (!meta) return base::fail(meta.error());
  const auto boxes = boxes_of(*meta);
  const auto iprp = boxes_of(find(boxes, "iprp"));
  const auto properties = boxes_of(find(iprp, "ipco"));
  const ItemProperties indices = item_properties_of(iprp);

  SourceHeader header;
  header.format = format;
  bool is_turned = false;
  if (const auto primary = indices.find(primary_item(find(boxes, "pitm"))); primary != indices.end()) {
    for (const std::size_t index : primary->second) {
      if (index >= 1 && index <= properties.size()) apply_property(properties[index - 1], header, is_turned);
    }
  }
  if (header.width == 0 || header.height == 0) return broken_media("heif: the primary item has no size");
  const std::uint64_t pixels = static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
  if (const auto fit = check_item_sizes(properties, pixels); !fit) return base::fail(fit.error());
  if (const auto fit = Av1ItemCheck(bytes, boxes, properties, indices).run(); !fit) return base::fail(fit.error());
  if (is_turned) std::swap(header.width, header.height);
  header.has_alpha = std::any_of(properties.begin(), properties.end(), names_alpha);
  return header;
}

}  // namespace optimux::media
