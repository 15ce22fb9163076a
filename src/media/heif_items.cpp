#include "media/heif_items.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "media/byte_cursor.hpp"
#include "media/heif_av1_sequence.hpp"
#include "media/heif_hevc_sequence.hpp"
#include "media/heif_references.hpp"
#include "media/source_header.hpp"

namespace optimux::media::heif {
namespace {

using Item = std::pair<std::uint32_t, std::string_view>;

// Every part costs the start of a decoder beside its pixels, and nothing can stop libheif among them: hundreds of small
// ones take seconds. Overlays are pictures laid by hand. Of a grid so many tiles come on top of those of 256 x 256 that
// its canvas has; cameras make larger ones.
constexpr std::size_t kMostSmallParts = 64;
constexpr std::uint64_t kTilePixels = std::uint64_t{256} * 256;
constexpr std::size_t kMostParts = 1024;

std::size_t most_parts(std::string_view type, const ItemSize& canvas) {
  if (type != "grid") return kMostSmallParts;
  return kMostSmallParts +
         static_cast<std::size_t>(std::min<std::uint64_t>(canvas.pixels() / kTilePixels, kMostParts - kMostSmallParts));
}

// What the slices of HEVC pictures behind the first of each may cover, of all items together: libde265 decodes them
// wherever they say that they lie, the whole picture each time if need be. More than the largest picture that the
// default limits let in; encoders of stills make one slice.
constexpr std::uint64_t kMostFurtherSlicePixels = 64'000'000;

// What decoders make pictures of when another item asks for them.
bool is_coded(std::string_view type) {
  return type == "av01" || type == "hvc1";
}

bool is_derived(std::string_view type) {
  return type == "grid" || type == "iovl" || type == "iden";
}

bool makes_pixels(std::string_view type) {
  return is_coded(type) || is_derived(type) || type == "hev1";
}

// ISO/IEC 14496-12, section 8.11.6. An item that is listed twice has to be good as either.
std::set<Item> items_with_pixels(std::span<const std::byte> iinf) {
  std::set<Item> items;
  if (iinf.size() < 4) return items;
  const std::size_t entries_begin = iinf[0] == std::byte{0} ? 6 : 8;
  for (const Box& box : boxes_of(iinf.subspan(std::min(entries_begin, iinf.size())))) {
    ByteCursor cursor(box.payload);
    const bool is_wide = cursor.u8() > 2;
    cursor.skip(3);
    const std::uint32_t id = is_wide ? cursor.u32be() : cursor.u16be();
    cursor.skip(2);
    const std::string_view type = cursor.text(4);
    if (box.type == "infe" && makes_pixels(type)) items.emplace(id, type);
  }
  return items;
}

// ISO/IEC 23008-12, sections 6.6.2.3 (grid) and 6.6.2.2 (overlay): the size of the canvas stands behind the rows and
// columns or the colour of the ground.
base::Status check_canvas(std::string_view type, std::span<const std::byte> data, const ItemSize& allowed) {
  ByteCursor cursor(data);
  cursor.skip(1);
  const bool is_wide = (cursor.u8() & 1U) != 0;
  cursor.skip(type == "grid" ? 2 : 8);
  const std::uint32_t width = is_wide ? cursor.u32be() : cursor.u16be();
  const std::uint32_t height = is_wide ? cursor.u32be() : cursor.u16be();
  if (cursor.has_failed()) return broken_media("heif: a derived item is cut off");
  if (width > allowed.width || height > allowed.height) return broken_media("heif: a canvas larger than its item");
  return {};
}

class ItemCheck {
 public:
  ItemCheck(std::span<const std::byte> file, const std::vector<Box>& meta, const std::vector<Box>& properties,
            const ItemProperties& indices)
      : file_(file),
        idat_(find(meta, "idat")),
        iloc_(find(meta, "iloc")),
        iref_(find(meta, "iref")),
        items_(items_with_pixels(find(meta, "iinf"))),
        properties_(properties),
        indices_(indices) {}

  base::Status run();

 private:
  struct Widths {
    unsigned offset = 0, length = 0, base = 0, index = 0;  ///< Bytes: 0, 4 or 8.
  };

  base::Status check_derivations() const;
  base::Status check_parts(const Item& item, const std::vector<std::uint32_t>& parts) const;
  base::Status check_item(ByteCursor& cursor, int version, const Widths& widths);
  base::Status check_data(const Item& item, std::span<const std::byte> data);
  base::Status check_av1(const Item& item, std::span<const std::byte> data, const ItemSize& allowed) const;
  base::Status check_hevc(const Item& item, std::span<const std::byte> data, const ItemSize& allowed);
  /// What an item's last `ispe` says, which is the one that counts; nothing when it has none.
  std::optional<ItemSize> size_of_item(const Item& item) const;
  /// The properties of one type that an item has.
  std::vector<Box> properties_of(const Item& item, std::string_view type) const;
  static std::uint64_t number(ByteCursor& cursor, unsigned width);

  std::span<const std::byte> file_;
  std::span<const std::byte> idat_;
  std::span<const std::byte> iloc_;
  std::span<const std::byte> iref_;
  std::set<Item> items_;
  const std::vector<Box>& properties_;
  const ItemProperties& indices_;
  std::uint64_t bytes_left_ = 2 * std::uint64_t{file_.size()};  ///< Items that share bytes cannot ask for more.
  std::uint64_t slice_pixels_left_ = kMostFurtherSlicePixels;
};

std::uint64_t ItemCheck::number(ByteCursor& cursor, unsigned width) {
  if (width == 0) return 0;
  if (width == 4) return cursor.u32be();
  if (width != 8) cursor.seek(SIZE_MAX);
  return cursor.u64be();
}

// ISO/IEC 14496-12, section 8.11.3.
base::Status ItemCheck::run() {
  if (items_.empty()) return {};
  if (auto fits = check_derivations(); !fits) return fits;
  ByteCursor cursor(iloc_);
  const int version = cursor.u8();
  cursor.skip(3);
  const unsigned sizes = cursor.u16be();
  const Widths widths{sizes >> 12U, sizes >> 8U & 15U, sizes >> 4U & 15U, version > 0 ? sizes & 15U : 0};
  const std::uint32_t count = version < 2 ? cursor.u16be() : cursor.u32be();
  for (std::uint32_t i = 0; i < count && !cursor.has_failed(); ++i) {
    if (auto fits = check_item(cursor, version, widths); !fits) return fits;
  }
  return cursor.has_failed() || version > 2 ? broken_media("heif: damaged item locations") : base::Status();
}

// Items of other types are none of the decoder's pictures (a tone map is derived as well).
base::Status ItemCheck::check_derivations() const {
  const auto derivations = derivations_of(iref_);
  if (!derivations) return base::fail(derivations.error());
  for (const Derivation& derivation : *derivations) {
    auto item = items_.lower_bound({derivation.item, {}});
    for (; item != items_.end() && item->first == derivation.item; ++item) {
      if (!is_derived(item->second)) continue;
      if (auto fits = check_parts(*item, derivation.parts); !fits) return fits;
    }
  }
  return {};
}

// libheif 1.15 makes derived items by recursion: it never comes back from two that refer to each other, takes time
// without bound for overlays of overlays, and aborts the process for a part that is no picture. A picture is derived
// from coded ones, in one step. Their pixels may be somewhat more than its own, for a small grid cuts its tiles off.
base::Status ItemCheck::check_parts(const Item& item, const std::vector<std::uint32_t>& parts) const {
  constexpr std::uint64_t kAlwaysAllowedPixels = std::uint64_t{2048} * 2048;
  const auto canvas = size_of_item(item);
  if (!canvas) return broken_media("heif: an item without a size");
  const std::size_t most = most_parts(item.second, *canvas);
  if (parts.size() > most) return too_many_parts("parts of an item", most);
  std::uint64_t pixels = 0;
  for (const std::uint32_t id : parts) {
    auto part = items_.lower_bound({id, {}});
    if (part == items_.end() || part->first != id) return broken_media("heif: derived from an item that is no picture");
    for (; part != items_.end() && part->first == id; ++part) {
      const auto size = size_of_item(*part);
      if (!is_coded(part->second) || !size) return broken_media("heif: derived from an item that is not coded");
      pixels += size->pixels();
    }
    if (pixels / 2 > canvas->pixels() + kAlwaysAllowedPixels) {
      return broken_media("heif: derived from far more pixels than it has");
    }
  }
  return {};
}

base::Status ItemCheck::check_item(ByteCursor& cursor, int version, const Widths& widths) {
  const std::uint32_t id = version < 2 ? cursor.u16be() : cursor.u32be();
  const unsigned method = version > 0 ? cursor.u16be() & 15U : 0;
  const unsigned other_file = cursor.u16be();
  const std::uint64_t base = number(cursor, widths.base);
  const std::size_t extents = cursor.u16be();
  auto item = items_.lower_bound({id, {}});
  if (item == items_.end() || item->first != id) {
    cursor.skip(extents * (widths.index + widths.offset + widths.length));
    return {};
  }
  if (method > 1 || other_file != 0) return broken_media("heif: pixels outside of the file");
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
  for (; item != items_.end() && item->first == id; ++item) {
    if (auto fits = check_data(*item, extents > 1 ? joined : data); !fits) return fits;
  }
  return {};
}

std::optional<ItemSize> ItemCheck::size_of_item(const Item& item) const {
  const auto sizes = properties_of(item, "ispe");
  return sizes.empty() ? std::nullopt : std::optional(size_of(sizes.back()));
}

std::vector<Box> ItemCheck::properties_of(const Item& item, std::string_view type) const {
  std::vector<Box> found;
  const auto indices = indices_.find(item.first);
  if (indices == indices_.end()) return found;
  for (const std::size_t index : indices->second) {
    if (index < 1 || index > properties_.size() || properties_[index - 1].type != type) continue;
    found.push_back(properties_[index - 1]);
  }
  return found;
}

base::Status ItemCheck::check_data(const Item& item, std::span<const std::byte> data) {
  if (item.second == "iden") return {};  // It has no data of its own.
  const auto size = size_of_item(item);
  if (!size) return broken_media("heif: an item without a size");
  const ItemSize& allowed = *size;
  if (item.second == "av01") return check_av1(item, data, allowed);
  if (item.second == "hvc1" || item.second == "hev1") return check_hevc(item, data, allowed);
  return check_canvas(item.second, data, allowed);
}

// Decoders put the units of av1C, behind its four bytes, before the item's own.
base::Status ItemCheck::check_av1(const Item& item, std::span<const std::byte> data, const ItemSize& allowed) const {
  for (const Box& configuration : properties_of(item, "av1C")) {
    if (configuration.payload.size() <= 4) continue;
    if (auto fits = check_av1_units(configuration.payload.subspan(4), allowed); !fits) return fits;
  }
  return check_av1_units(data, allowed);
}

base::Status ItemCheck::check_hevc(const Item& item, std::span<const std::byte> data, const ItemSize& allowed) {
  for (const Box& configuration : properties_of(item, "hvcC")) {
    if (auto fits = check_hevc_configuration(configuration.payload, allowed); !fits) return fits;
  }
  return check_hevc_units(data, allowed, slice_pixels_left_);
}

}  // namespace

base::Status check_item_data(std::span<const std::byte> file, const std::vector<Box>& meta,
                             const std::vector<Box>& properties, const ItemProperties& indices) {
  return ItemCheck(file, meta, properties, indices).run();
}

}  // namespace optimux::media::heif
