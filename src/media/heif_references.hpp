#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "media/byte_cursor.hpp"
#include "media/heif_boxes.hpp"
#include "media/source_header.hpp"

// For the sources of this layer only.

namespace optimux::media::heif {

/// An item that is made of others (a grid of its tiles), in the file's order.
struct Derivation {
  std::uint32_t item = 0;
  std::vector<std::uint32_t> parts;
};

/// The `dimg` references of an `iref` box (ISO/IEC 14496-12, section 8.11.12). kBrokenMedia when a reference of any
/// kind is longer or shorter than its entries: libheif 1.15 goes by their number and not by the size of the box, so
/// that it would read other references than were checked. kLimitExceeded for more than 65,536 parts in all. Pure.
inline base::Result<std::vector<Derivation>> derivations_of(std::span<const std::byte> iref) {
  std::vector<Derivation> derivations;
  if (iref.empty()) return derivations;
  const bool is_wide = iref[0] != std::byte{0};
  const std::size_t width = is_wide ? 4 : 2;
  std::size_t parts = 0;
  ByteCursor cursor(iref, std::min<std::size_t>(4, iref.size()));
  while (cursor.remaining() > 0) {
    const Box box = next_box(cursor);
    ByteCursor entries(box.payload);
    const auto id = [&entries, is_wide] { return is_wide ? entries.u32be() : std::uint32_t{entries.u16be()}; };
    Derivation derivation{id(), {}};
    const std::size_t count = entries.u16be();
    const bool is_exact = !cursor.has_failed() && !entries.has_failed() && entries.remaining() == count * width;
    // A box of type `uuid` has a longer header.
    if (!is_exact || box.type == "uuid") return broken_media("heif: damaged item references");
    if (box.type != "dimg") continue;
    parts += 1 + count;
    if (parts > kMostEntries) return too_many_parts("parts of items", kMostEntries);
    for (std::size_t i = 0; i < count; ++i) derivation.parts.push_back(id());
    derivations.push_back(std::move(derivation));
  }
  return derivations;
}

}  // namespace optimux::media::heif
