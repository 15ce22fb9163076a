#include "media/gif_pixels.hpp"

#include <array>
#include <cstdint>

#include "media/gif_blocks.hpp"
#include "media/interrupt.hpp"
#include "media/source_header.hpp"

namespace optimux::media {
namespace {

// GIF89a, appendix F: variable-length-code LZW, whose codes have 12 bits at most.
constexpr unsigned kMostCodeBits = 12;
constexpr unsigned kMostCodes = 1U << kMostCodeBits;

/// An LZW decoder that makes no pixels but counts them: of each code it keeps how many it stands for.
class PixelCount {
 public:
  PixelCount(unsigned literal_bits, std::uint64_t wanted)
      : literal_bits_(literal_bits), clear_(1U << literal_bits), wanted_(wanted) {
    for (unsigned code = 0; code < clear_; ++code) pixels_of_[code] = 1;
    clear();
  }

  bool is_complete() const { return made_ >= wanted_; }

  /// Takes the bytes of one block. False when nothing more can come: the end was coded, or a code that does not exist.
  bool add(std::span<const std::byte> block) {
    for (const std::byte byte : block) {
      bits_ |= std::to_integer<std::uint32_t>(byte) << bit_count_;
      bit_count_ += 8;
      while (bit_count_ >= code_bits_) {
        const unsigned code = bits_ & ((1U << code_bits_) - 1);
        bits_ >>= code_bits_;
        bit_count_ -= code_bits_;
        if (!add_code(code)) return false;
      }
    }
    return true;
  }

 private:
  void clear() {
    next_ = clear_ + 2;
    code_bits_ = literal_bits_ + 1;
    pixels_of_last_ = 0;
  }

  bool add_code(unsigned code) {
    const unsigned end = clear_ + 1;
    if (code == clear_) {
      clear();
      return true;
    }
    const bool is_first = pixels_of_last_ == 0;
    if (code == end || code > next_ || (is_first && code > end)) return false;
    if (!is_first && next_ < kMostCodes) learn();
    if (code >= next_) return false;
    pixels_of_last_ = pixels_of_[code];
    made_ += pixels_of_last_;
    return true;
  }

  // What the code before stood for, and one pixel more.
  void learn() {
    pixels_of_[next_] = pixels_of_last_ + 1;
    ++next_;
    if (next_ == 1U << code_bits_ && code_bits_ < kMostCodeBits) ++code_bits_;
  }

  unsigned literal_bits_;
  unsigned clear_;
  std::uint64_t wanted_;
  std::uint64_t made_ = 0;
  std::array<std::uint32_t, kMostCodes> pixels_of_;
  unsigned next_ = 0;
  unsigned code_bits_ = 0;
  std::uint32_t pixels_of_last_ = 0;  ///< 0 after a clear code.
  std::uint32_t bits_ = 0;
  unsigned bit_count_ = 0;
};

base::Status check_frame(ByteCursor& cursor, const OperationControl& control) {
  constexpr std::size_t kBlocksBetweenChecks = 1024;
  cursor.skip(4);
  const std::uint64_t width = cursor.u16le();
  const std::uint64_t height = cursor.u16le();
  gif::skip_colour_table(cursor, cursor.u8());
  const unsigned literal_bits = cursor.u8();
  if (literal_bits >= kMostCodeBits) return broken_media("gif: damaged pixels");
  PixelCount pixels(literal_bits, width * height);
  for (std::size_t block = 0; !pixels.is_complete(); ++block) {
    if (block % kBlocksBetweenChecks == 0) {
      if (auto may_go_on = check_interrupt(control); !may_go_on) return may_go_on;
    }
    const auto data = cursor.bytes(cursor.u8());
    if (data.empty()) return broken_media("gif: a frame's data end before its pixels");
    if (!pixels.add(data) && !pixels.is_complete()) return broken_media("gif: damaged pixels");
  }
  gif::skip_sub_blocks(cursor);
  return {};
}

}  // namespace

base::Status check_gif_pixels(std::span<const std::byte> bytes, int frames, const OperationControl& control) {
  ByteCursor cursor(bytes, gif::kSignatureBytes);
  cursor.skip(4);
  const unsigned packed = cursor.u8();
  cursor.skip(2);
  gif::skip_colour_table(cursor, packed);
  for (int frame = 0; frame < frames && !cursor.has_failed();) {
    const std::uint8_t label = cursor.u8();
    if (label == gif::kImage) {
      if (auto whole = check_frame(cursor, control); !whole) return whole;
      ++frame;
    } else if (label == gif::kExtension) {
      cursor.skip(1);
      gif::skip_sub_blocks(cursor);
    } else {
      break;
    }
  }
  return {};
}

}  // namespace optimux::media
