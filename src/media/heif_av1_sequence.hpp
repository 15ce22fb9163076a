#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "media/bit_cursor.hpp"
#include "media/byte_cursor.hpp"
#include "media/heif_boxes.hpp"
#include "media/source_header.hpp"

namespace optimux::media::heif {

/// Pieces of the AV1 specification (version 1.0.0 with errata 1), of which sections are named.
namespace av1 {

/// Section 5.5.3, timing_info(), and uvlc() of section 4.10.3.
inline void skip_timing_info(BitCursor& bits) {
  bits.read(64);
  if (!bits.flag()) return;
  const unsigned zeros = bits.zeros();
  if (zeros < 32) bits.read(zeros);
}

/// Section 5.5.1, the part that is absent from the reduced header of stills.
inline void skip_operating_points(BitCursor& bits) {
  bool has_decoder_model = false;
  unsigned delay_bits = 0;
  if (bits.flag()) {
    skip_timing_info(bits);
    has_decoder_model = bits.flag();
    if (has_decoder_model) {
      delay_bits = static_cast<unsigned>(bits.read(5)) + 1;
      bits.read(42);
    }
  }
  const bool has_display_delay = bits.flag();
  const std::uint64_t points = bits.read(5) + 1;
  for (std::uint64_t i = 0; i < points; ++i) {
    bits.read(12);
    constexpr std::uint64_t kLastLevelWithoutTier = 7;
    if (bits.read(5) > kLastLevelWithoutTier) bits.read(1);
    if (has_decoder_model && bits.flag()) bits.read(2 * delay_bits + 1);
    if (has_display_delay && bits.flag()) bits.read(4);
  }
}

/// Section 5.5.1: the largest frame that may follow; nothing when the header is cut off.
inline std::optional<ItemSize> sequence_size(std::span<const std::byte> header) {
  BitCursor bits(header);
  bits.read(4);
  if (bits.flag())
    bits.read(5);
  else
    skip_operating_points(bits);
  const auto width_bits = static_cast<unsigned>(bits.read(4)) + 1;
  const auto height_bits = static_cast<unsigned>(bits.read(4)) + 1;
  ItemSize size;
  size.width = static_cast<std::uint32_t>(bits.read(width_bits)) + 1;
  size.height = static_cast<std::uint32_t>(bits.read(height_bits)) + 1;
  return bits.has_failed() ? std::nullopt : std::optional<ItemSize>(size);
}

/// Section 4.10.5; fails the cursor when the number does not end.
inline std::uint64_t leb128(ByteCursor& cursor) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t byte = cursor.u8();
    value |= (byte & 0x7fU) << (7 * i);
    if ((byte & 0x80U) == 0) return value;
  }
  cursor.seek(SIZE_MAX);
  return 0;
}

}  // namespace av1

/// Checks the open bitstream units of `data` (section 5.3), and every sequence header among them, because a later one
/// replaces the first. kBrokenMedia when frames may come that are wider or higher than `allowed`, when there are more
/// than eight (a picture has one, or one a layer, of which there are four), because decoders make all up to the first
/// that is shown, or when a unit is cut off. Takes time in proportion to the number of units. Pure.
inline base::Status check_av1_units(std::span<const std::byte> data, const ItemSize& allowed) {
  constexpr unsigned kSequenceHeader = 1;
  constexpr unsigned kFrameHeader = 3;
  constexpr unsigned kFrame = 6;
  constexpr int kMostFrames = 8;
  int frames = 0;
  ByteCursor cursor(data);
  while (cursor.remaining() > 0) {
    const unsigned head = cursor.u8();
    if ((head & 4U) != 0) cursor.skip(1);
    const std::uint64_t size = (head & 2U) != 0 ? av1::leb128(cursor) : cursor.remaining();
    const auto payload = cursor.bytes(static_cast<std::size_t>(size));
    if (cursor.has_failed()) return broken_media("heif: an AV1 unit reaches past its item");
    const unsigned type = head >> 3U & 15U;
    if ((type == kFrameHeader || type == kFrame) && ++frames > kMostFrames) {
      return broken_media("heif: an AV1 item of too many frames");
    }
    if (type != kSequenceHeader) continue;
    const auto found = av1::sequence_size(payload);
    if (!found || found->width > allowed.width || found->height > allowed.height) {
      return broken_media("heif: AV1 frames larger than their item");
    }
  }
  return {};
}

}  // namespace optimux::media::heif
