#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace optimux::media {

/// Reads numbers out of untrusted bytes, from a position onwards. Reading past the end gives zeros and sets
/// `has_failed`, so that a parser checks once after a group of reads and can never read out of bounds. A value type;
/// the bytes must outlive it.
class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes, std::size_t position = 0)
      : bytes_(bytes), position_(position), failed_(position > bytes.size()) {}

  /// Whether a read or skip has gone past the end. Stays set.
  bool has_failed() const { return failed_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return failed_ ? 0 : bytes_.size() - position_; }

  void seek(std::size_t position) {
    position_ = position;
    if (position > bytes_.size()) failed_ = true;
  }
  void skip(std::size_t count) {
    if (count > remaining())
      failed_ = true;
    else
      position_ += count;
  }

  std::uint8_t u8() { return static_cast<std::uint8_t>(big_endian(1)); }
  std::uint16_t u16be() { return static_cast<std::uint16_t>(big_endian(2)); }
  std::uint32_t u32be() { return static_cast<std::uint32_t>(big_endian(4)); }
  std::uint64_t u64be() { return big_endian(8); }
  std::uint16_t u16le() { return static_cast<std::uint16_t>(little_endian(2)); }
  std::uint32_t u24le() { return static_cast<std::uint32_t>(little_endian(3)); }
  std::uint32_t u32le() { return static_cast<std::uint32_t>(little_endian(4)); }

  /// The next `count` bytes as text, and moves on; empty past the end.
  std::string_view text(std::size_t count) {
    const auto taken = bytes(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  /// The next `count` bytes, and moves on; empty past the end.
  std::span<const std::byte> bytes(std::size_t count) {
    if (count > remaining()) failed_ = true;
    if (failed_) return {};
    const auto taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

 private:
  std::uint64_t big_endian(std::size_t count) {
    std::uint64_t value = 0;
    for (const std::byte byte : bytes(count)) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
  }
  std::uint64_t little_endian(std::size_t count) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const std::byte byte : bytes(count)) {
      value |= std::to_integer<std::uint64_t>(byte) << shift;
      shift += 8;
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_;
  bool failed_;
};

}  // namespace optimux::media
