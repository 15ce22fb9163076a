#include "media/jpeg_header.hpp"

#include <cstring>

#include "media/byte_cursor.hpp"
#include "media/exif_orientation.hpp"

namespace optimux::media {
namespace {

// ITU-T T.81, table B.1.
constexpr std::uint8_t kStartOfImage = 0xd8;
constexpr std::uint8_t kEndOfImage = 0xd9;
constexpr std::uint8_t kStartOfScan = 0xda;
constexpr std::uint8_t kApp0 = 0xe0;
constexpr std::uint8_t kApp1 = 0xe1;
constexpr std::uint8_t kApp2 = 0xe2;
constexpr std::uint8_t kApp14 = 0xee;
constexpr std::uint8_t kTemporary = 0x01;

// A profile takes up to 255 segments, metadata of 64 MiB as many as this, and other files have a few dozen. libjpeg 2.1
// walks all that it has kept for each one more: 10,000 take it 0.6 s, 50,000 more than 15 s.
constexpr std::size_t kMostSegments = 1024;

bool is_restart(std::uint8_t marker) {
  return marker >= 0xd0 && marker <= 0xd7;
}
bool stands_alone(std::uint8_t marker) {
  return is_restart(marker) || marker == kStartOfImage || marker == kTemporary;
}

// SOF0 to SOF15, among which DHT (c4), JPG (c8) and DAC (cc) have their places.
bool is_start_of_frame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool is_progressive_frame(std::uint8_t marker) {
  return marker == 0xc2 || marker == 0xca;
}

class Parser {
 public:
  explicit Parser(std::span<const std::byte> bytes) : bytes_(bytes), cursor_(bytes, 2) {
    header_.format = Format::kJpeg;
  }

  base::Result<SourceHeader> parse() {
    bool has_scan = false;
    std::size_t segments = 0;
    while (true) {
      const std::uint8_t marker = next_marker();
      if (cursor_.has_failed()) return broken_media("jpeg: ends before its end-of-image marker");
      if (marker == kEndOfImage) break;
      if (stands_alone(marker)) continue;
      if (++segments > kMostSegments) return too_many_parts("marker segments", kMostSegments);
      if (is_start_of_frame(marker) && header_.width != 0) return broken_media("jpeg: a second frame header");
      read_segment(marker);
      if (cursor_.has_failed()) return broken_media("jpeg: a segment reaches past the end");
      if (marker == kStartOfScan) {
        if (header_.width == 0) return broken_media("jpeg: a scan before the frame header");
        has_scan = true;
        skip_entropy_coded_data();
      }
    }
    if (!has_scan || header_.width == 0 || header_.height == 0) return broken_media("jpeg: no picture");
    return header_;
  }

 private:
  // Bytes that stand before a marker are skipped, as decoders do; they warn of it, and browsers show the picture. So is
  // ff 00, which is no marker.
  std::uint8_t next_marker() {
    std::uint8_t marker = 0;
    while (!cursor_.has_failed() && marker == 0) {
      while (!cursor_.has_failed() && cursor_.u8() != 0xff) header_.may_warn = true;
      marker = 0xff;
      while (!cursor_.has_failed() && marker == 0xff) marker = cursor_.u8();
      if (marker == 0) header_.may_warn = true;
    }
    return marker;
  }

  void read_segment(std::uint8_t marker) {
    const std::size_t length = cursor_.u16be();
    if (length < 2) return cursor_.seek(bytes_.size() + 1);
    const auto data = cursor_.bytes(length - 2);
    if (is_start_of_frame(marker)) read_frame(marker, ByteCursor(data));
    if (marker == kStartOfScan) read_scan(ByteCursor(data));
    if (marker == kApp0) read_jfif(ByteCursor(data));
    if (marker == kApp1) read_exif(data);
    if (marker == kApp2 && ByteCursor(data).text(12) == std::string_view("ICC_PROFILE\0", 12))
      header_.has_profile = true;
    if (marker == kApp14) read_adobe(ByteCursor(data));
  }

  void read_frame(std::uint8_t marker, ByteCursor frame) {
    header_.bits = frame.u8();
    header_.height = frame.u16be();
    header_.width = frame.u16be();
    const int components = frame.u8();
    if (components == 1) header_.colour_space = "grey";
    if (components == 4) header_.colour_space = "cmyk";
    header_.is_progressive = is_progressive_frame(marker);
  }

  // A sequential scan has the spectral selection 0 to 63. Some cameras write other numbers, which decoders ignore.
  void read_scan(ByteCursor scan) {
    const std::size_t components = scan.u8();
    scan.skip(2 * components);
    const bool is_whole = scan.u8() == 0 && scan.u8() == 63 && scan.u8() == 0;
    if (!header_.is_progressive && !is_whole) header_.may_warn = true;
  }

  void read_jfif(ByteCursor segment) {
    if (segment.text(5) == std::string_view("JFIF\0", 5) && segment.u8() > 2) header_.may_warn = true;
  }

  void read_exif(std::span<const std::byte> segment) {
    if (ByteCursor(segment).text(6) == std::string_view("Exif\0\0", 6)) header_.orientation = exif_orientation(segment);
  }

  void read_adobe(ByteCursor segment) {
    if (segment.text(5) != "Adobe") return;
    segment.skip(6);
    if (segment.u8() > 2) header_.may_warn = true;
  }

  // In entropy-coded data ff is followed by 00, a restart marker, or the marker that ends it (T.81, section B.1.1.5).
  void skip_entropy_coded_data() {
    std::size_t at = cursor_.position();
    while (at + 1 < bytes_.size()) {
      const void* found = std::memchr(bytes_.data() + at, 0xff, bytes_.size() - 1 - at);
      if (found == nullptr) break;
      at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes_.data());
      const auto next = std::to_integer<std::uint8_t>(bytes_[at + 1]);
      if (next != 0 && next != 0xff && !is_restart(next)) return cursor_.seek(at);
      at += next == 0xff ? 1 : 2;
    }
    cursor_.seek(bytes_.size());
  }

  std::span<const std::byte> bytes_;
  ByteCursor cursor_;
  SourceHeader header_;
};

}  // namespace

base::Result<SourceHeader> read_jpeg_header(std::span<const std::byte> bytes) {
  return Parser(bytes).parse();
}

}  // namespace optimux::media
