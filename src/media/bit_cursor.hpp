#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "media/byte_cursor.hpp"

namespace optimux::media {

/// Reads bits out of untrusted bytes, the highest of each first. Past the end it gives zeros and sets `has_failed`. A
/// value type; the bytes must outlive it.
class BitCursor {
 public:
  explicit BitCursor(std::span<const std::byte> bytes) : cursor_(bytes) {}

  bool has_failed() const { return cursor_.has_failed(); }
  bool flag() { return read(1) != 0; }
  /// The next `count` bits; of more than 64 the last ones.
  std::uint64_t read(unsigned count) {
    std::uint64_t value = 0;
    for (; count > 0; --count) {
      if (bits_left_ == 0) {
        byte_ = cursor_.u8();
        bits_left_ = 8;
      }
      --bits_left_;
      value = value << 1U | (static_cast<unsigned>(byte_) >> bits_left_ & 1U);
    }
    return value;
  }
  /// The zeros before the next one, which is taken too; all that are left when there is none.
  unsigned zeros() {
    unsigned count = 0;
    while (!has_failed() && !flag()) ++count;
    return count;
  }

 private:
  ByteCursor cursor_;
  std::uint8_t byte_ = 0;
  unsigned bits_left_ = 0;
};

}  // namespace optimux::media
