#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "media/bit_cursor.hpp"
#include "media/byte_cursor.hpp"
#include "media/heif_boxes.hpp"
#include "media/source_header.hpp"

namespace optimux::media::heif {

/// Pieces of H.265 (ITU-T, 08/2021), of which sections are named.
namespace hevc {

/// Section 9.2: an unsigned number in Exp-Golomb code; absurd when it is longer than any that is allowed.
inline std::uint64_t exp_golomb(BitCursor& bits) {
  const unsigned zeros = bits.zeros();
  if (zeros > 32) return UINT64_MAX;
  return (std::uint64_t{1} << zeros) - 1 + bits.read(zeros);
}

/// Section 7.3.1.1: the first bytes of a unit's payload without the bytes that prevent start codes in it. The fields
/// that are read lie within the first 128.
inline std::vector<std::byte> payload_head(std::span<const std::byte> unit) {
  constexpr std::size_t kHeaderBytes = 2;
  constexpr std::size_t kMostBytes = 160;
  std::vector<std::byte> payload;
  std::size_t zeros = 0;
  for (const std::byte byte : unit.subspan(kHeaderBytes, std::min(kMostBytes, unit.size() - kHeaderBytes))) {
    const bool prevents = zeros >= 2 && byte == std::byte{3};
    zeros = byte == std::byte{0} ? zeros + 1 : 0;
    if (!prevents) payload.push_back(byte);
  }
  return payload;
}

/// Section 7.3.3, profile_tier_level(1, sub_layers).
inline void skip_profile_tier_level(BitCursor& bits, unsigned sub_layers) {
  constexpr unsigned kProfileBits = 88;
  constexpr unsigned kLevelBits = 8;
  bits.read(kProfileBits);
  bits.read(kLevelBits);
  if (sub_layers == 0) return;
  unsigned present = 0;
  for (unsigned i = 0; i < sub_layers; ++i) present += bits.flag() * kProfileBits + bits.flag() * kLevelBits;
  bits.read(2 * (8 - sub_layers));
  bits.read(present);
}

/// Section 7.3.2.2.1: the size of the frames that may follow, before any is cut off at the edges, for decoders make all
/// of it; nothing when the set is cut off.
inline std::optional<ItemSize> coded_size(std::span<const std::byte> sequence_parameter_set) {
  constexpr std::uint64_t kFullChroma = 3;
  constexpr std::uint64_t kMostSide = 65'535;
  const auto payload = payload_head(sequence_parameter_set);
  BitCursor bits(payload);
  bits.read(4);
  const auto sub_layers = static_cast<unsigned>(bits.read(3));
  bits.read(1);
  skip_profile_tier_level(bits, sub_layers);
  exp_golomb(bits);
  if (exp_golomb(bits) == kFullChroma) bits.read(1);
  const std::uint64_t width = exp_golomb(bits);
  const std::uint64_t height = exp_golomb(bits);
  if (bits.has_failed() || width > kMostSide || height > kMostSide) return std::nullopt;
  return ItemSize{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
}

/// Section 7.4.2.2: units below this type are slices of a picture, of which those of the base layer are decoded.
inline bool is_slice(std::span<const std::byte> unit) {
  constexpr unsigned kFirstOther = 32;
  if (unit.size() < 2) return false;
  const unsigned header = ByteCursor(unit).u16be();
  return header >> 9U < kFirstOther && (header >> 3U & 63U) == 0;
}

/// Section 7.3.6.1: the first bit behind the unit's header.
inline bool begins_picture(std::span<const std::byte> slice) {
  return slice.size() > 2 && (slice[2] & std::byte{0x80}) != std::byte{0};
}

}  // namespace hevc

/// Checks one network abstraction unit: kBrokenMedia when it is a sequence parameter set of frames larger than
/// `allowed`, but for the rest of the last coding tree block. Pure.
inline base::Status check_hevc_unit(std::span<const std::byte> unit, const ItemSize& allowed) {
  constexpr unsigned kSequenceParameterSet = 33;
  constexpr std::uint64_t kLargestBlock = 64;
  if (unit.size() < 2) return {};
  const unsigned header = ByteCursor(unit).u16be();
  // Units of further layers are not decoded.
  if (header >> 9U != kSequenceParameterSet || (header >> 3U & 63U) != 0) return {};
  const auto found = hevc::coded_size(unit);
  if (!found || found->width >= allowed.width + kLargestBlock || found->height >= allowed.height + kLargestBlock) {
    return broken_media("heif: HEVC frames larger than their item");
  }
  return {};
}

/// Checks the parameter sets of an `hvcC` property (ISO/IEC 14496-15, section 8.3.3.1.2). kBrokenMedia as above, when
/// it is cut off, when there are slices among them, or when it says that the lengths of units take another number of
/// bytes than four, which decoders ignore. Pure.
inline base::Status check_hevc_configuration(std::span<const std::byte> configuration, const ItemSize& allowed) {
  constexpr std::size_t kLengthSizeAt = 21;
  ByteCursor cursor(configuration, std::min(kLengthSizeAt, configuration.size()));
  const bool has_four_bytes = (cursor.u8() & 3U) == 3;
  const unsigned arrays = cursor.u8();
  for (unsigned i = 0; i < arrays && !cursor.has_failed(); ++i) {
    cursor.skip(1);
    const unsigned units = cursor.u16be();
    for (unsigned k = 0; k < units && !cursor.has_failed(); ++k) {
      const auto unit = cursor.bytes(cursor.u16be());
      if (hevc::is_slice(unit)) return broken_media("heif: an HEVC picture among the parameters");
      if (auto fits = check_hevc_unit(unit, allowed); !fits) return fits;
    }
  }
  return cursor.has_failed() || !has_four_bytes ? broken_media("heif: damaged HEVC parameters") : base::Status();
}

/// Checks the units of an item's data, each behind its length. kBrokenMedia as above, when one is cut off, or when they
/// are more than one picture of 32 slices (encoders of stills make one slice): libde265 decodes all that there are, and
/// cannot be stopped. Each slice but the first may cover the whole picture, and takes so many pixels from
/// `pixels_left`; kBrokenMedia too when there are not enough. Takes time in proportion to their number. Pure.
inline base::Status check_hevc_units(std::span<const std::byte> data, const ItemSize& allowed,
                                     std::uint64_t& pixels_left) {
  constexpr int kMostSlices = 32;
  int pictures = 0;
  int slices = 0;
  ByteCursor cursor(data);
  while (cursor.remaining() > 0) {
    const auto unit = cursor.bytes(cursor.u32be());
    if (cursor.has_failed()) return broken_media("heif: an HEVC unit reaches past its item");
    if (hevc::is_slice(unit)) {
      const std::uint64_t pixels = ++slices > 1 ? allowed.pixels() : 0;
      if (slices > kMostSlices || pixels > pixels_left) return broken_media("heif: HEVC items of too many slices");
      pixels_left -= pixels;
      if (hevc::begins_picture(unit) && ++pictures > 1) return broken_media("heif: an HEVC item of several pictures");
    }
    if (auto fits = check_hevc_unit(unit, allowed); !fits) return fits;
  }
  return {};
}

}  // namespace optimux::media::heif
