#include "media/jpeg_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

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

// libjpeg goes over the whole picture once a scan, however little that holds: 100 times over 50 megapixels take 6 s.
// Its own script for progressive files has 10 scans, or 18 for CMYK; so 30 are granted to a picture of any size.
constexpr std::int64_t kScansOfAnySize = 30;
constexpr std::int64_t kMostScans = 100;
constexpr std::int64_t kMostScannedPixels = 1'500'000'000;

std::int64_t most_scans(std::int64_t pixels) {
  return std::clamp(kMostScannedPixels / std::max<std::int64_t>(pixels, 1), kScansOfAnySize, kMostScans);
}

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
  /// `mended` is a copy of `bytes` that gets what decoders warn of put right, or nothing.
  explicit Parser(std::span<const std::byte> bytes, std::span<std::byte> mended = {})
      : bytes_(bytes), mended_(mended), cursor_(bytes, 2) {
    header_.format = Format::kJpeg;
  }

  base::Result<SourceHeader> parse(ReadTo to) {
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
        const std::int64_t most = most_scans(header_.width * header_.height);
        if (++scans_ > most) return too_many_parts("scans", static_cast<std::size_t>(most));
        if (scans_ == 1) judge_adobe_transform();
        if (to == ReadTo::kPixels) break;
        skip_entropy_coded_data();
      }
    }
    if (scans_ == 0 || header_.width == 0 || header_.height == 0) return broken_media("jpeg: no picture");
    return header_;
  }

 private:
  // Bytes that stand before a marker are skipped, as decoders do; they warn of it, and browsers show the picture. So is
  // ff 00, which is no marker.
  std::uint8_t next_marker() {
    const std::size_t begin = cursor_.position();
    bool has_strays = false;
    std::uint8_t marker = 0;
    while (!cursor_.has_failed() && marker == 0) {
      while (!cursor_.has_failed() && cursor_.u8() != 0xff) has_strays = true;
      marker = 0xff;
      while (!cursor_.has_failed() && marker == 0xff) marker = cursor_.u8();
      if (marker == 0) has_strays = true;
    }
    if (has_strays && !cursor_.has_failed()) fill(begin, cursor_.position() - 1);
    return marker;
  }

  // Any number of ff may stand before a marker (T.81, section B.1.1.2).
  void fill(std::size_t begin, std::size_t end) {
    header_.may_warn = true;
    if (mended_.empty()) return;
    const auto strays = mended_.subspan(begin, end - begin);
    std::fill(strays.begin(), strays.end(), std::byte{0xff});
  }

  void put_right(std::size_t position, std::uint8_t value) {
    header_.may_warn = true;
    if (!mended_.empty()) mended_[position] = std::byte{value};
  }

  void read_segment(std::uint8_t marker) {
    const std::size_t length = cursor_.u16be();
    if (length < 2) return cursor_.seek(bytes_.size() + 1);
    const auto data = cursor_.bytes(length - 2);
    if (is_start_of_frame(marker)) read_frame(marker, ByteCursor(data));
    if (marker == kStartOfScan) read_scan(data);
    if (scans_ > 0) return;
    if (marker == kApp0) read_jfif(data);
    if (marker == kApp1) read_exif(data);
    if (marker == kApp2 && ByteCursor(data).text(12) == std::string_view("ICC_PROFILE\0", 12))
      header_.has_profile = true;
    if (marker == kApp14) read_adobe(data);
  }

  void read_frame(std::uint8_t marker, ByteCursor frame) {
    header_.bits = frame.u8();
    header_.height = frame.u16be();
    header_.width = frame.u16be();
    components_ = frame.u8();
    if (components_ == 1) header_.colour_space = "grey";
    if (components_ == 4) header_.colour_space = "cmyk";
    header_.samples = components_;
    is_sequential_ = !is_progressive_frame(marker);
    header_.is_progressive = !is_sequential_;
  }

  std::size_t position_of(std::span<const std::byte> segment) const {
    return static_cast<std::size_t>(segment.data() - bytes_.data());
  }

  // Where the first scan lacks a component of the frame, libjpeg keeps all coefficients until it has read the last one.
  void read_scan(std::span<const std::byte> segment) {
    if (segment.empty()) return;
    if (scans_ == 0 && std::to_integer<int>(segment[0]) < components_) header_.is_progressive = true;
    if (is_sequential_) check_selection(segment);
  }

  // A sequential scan has the spectral selection 0 to 63 and no approximation. Some cameras write other numbers, which
  // decoders ignore.
  void check_selection(std::span<const std::byte> segment) {
    constexpr std::array<std::uint8_t, 3> kWhole = {0, 63, 0};
    const std::size_t selection = 1 + 2 * std::to_integer<std::size_t>(segment[0]);
    for (std::size_t i = 0; i < kWhole.size() && selection + i < segment.size(); ++i) {
      if (segment[selection + i] != std::byte{kWhole[i]}) put_right(position_of(segment) + selection + i, kWhole[i]);
    }
  }

  // JPEG File Interchange Format 1.02: a segment of 14 bytes or more, in the sixth the major version, which is 1.
  void read_jfif(std::span<const std::byte> segment) {
    if (segment.size() < 14 || ByteCursor(segment).text(5) != std::string_view("JFIF\0", 5)) return;
    if (segment[5] != std::byte{1}) put_right(position_of(segment) + 5, 1);
  }

  void read_exif(std::span<const std::byte> segment) {
    if (ByteCursor(segment).text(6) == std::string_view("Exif\0\0", 6)) header_.orientation = exif_orientation(segment);
  }

  // The last of them counts.
  void read_adobe(std::span<const std::byte> segment) {
    if (segment.size() >= 12 && ByteCursor(segment).text(5) == "Adobe") adobe_transform_ = position_of(segment) + 11;
  }

  // Adobe Technical Note 5116: 0 is RGB or CMYK, 1 is YCbCr of three components, 2 is YCCK of four. Of anything else
  // libjpeg warns and takes the one that is transformed.
  void judge_adobe_transform() {
    if (!adobe_transform_ || (components_ != 3 && components_ != 4)) return;
    const std::uint8_t transformed = components_ == 3 ? 1 : 2;
    const auto found = std::to_integer<std::uint8_t>(bytes_[*adobe_transform_]);
    if (found != 0 && found != transformed) put_right(*adobe_transform_, transformed);
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
  std::span<std::byte> mended_;
  ByteCursor cursor_;
  SourceHeader header_;
  int components_ = 0;
  bool is_sequential_ = true;
  std::int64_t scans_ = 0;
  std::optional<std::size_t> adobe_transform_;  ///< Where it stands.
};

}  // namespace

base::Result<SourceHeader> read_jpeg_header(std::span<const std::byte> bytes, ReadTo to) {
  return Parser(bytes).parse(to);
}

std::vector<std::byte> mend_jpeg(std::span<const std::byte> bytes) {
  std::vector<std::byte> mended(bytes.begin(), bytes.end());
  // Whatever is wrong beyond that is for the decoder to find.
  static_cast<void>(Parser(bytes, mended).parse(ReadTo::kEnd));
  return mended;
}

}  // namespace optimux::media
