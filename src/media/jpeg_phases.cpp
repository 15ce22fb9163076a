#include "media/jpeg_phases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace optimux::media {
namespace {

using base::Phase;

// ITU-T T.81, table B.1.
constexpr std::uint8_t kEndOfImage = 0xd9;
constexpr std::uint8_t kStartOfScan = 0xda;

// A byte of pixels (ff 00), TEM, the restarts and the start of the image: nothing follows that belongs to them.
bool stands_alone(std::uint8_t marker) {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

// SOF0 to SOF15, among which DHT (c4), JPG (c8) and DAC (cc) have their places.
bool is_start_of_frame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool is_progressive_frame(std::uint8_t marker) {
  return marker == 0xc2 || marker == 0xca;
}

// What the scans of a progressive picture have brought of each coefficient of each component.
class Refinement {
 public:
  static constexpr std::size_t kMostComponents = 4;

  // The components of a frame header, behind its length. False for what no decoder shows.
  bool begin(ByteCursor frame) {
    frame.skip(5);
    const std::size_t count = frame.u8();
    if (count == 0 || count > kMostComponents) return false;
    for (std::size_t i = 0; i < count; ++i) {
      components_.push_back({frame.u8(), {}});
      components_.back().lowest_bits.fill(kUnknown);
      frame.skip(2);
    }
    return !frame.has_failed();
  }

  // Reads the header of a scan, behind its length; nothing when it is none of the frame's.
  std::optional<JpegScan> read_scan(ByteCursor header) const {
    JpegScan scan;
    const unsigned count = header.u8();
    for (unsigned i = 0; i < count; ++i) {
      const std::uint8_t id = header.u8();
      const auto found =
          std::find_if(components_.begin(), components_.end(), [id](const Component& one) { return one.id == id; });
      if (found == components_.end()) return std::nullopt;
      scan.components |= 1U << static_cast<unsigned>(found - components_.begin());
      header.skip(1);
    }
    scan.first_coefficient = header.u8();
    scan.last_coefficient = header.u8();
    const int approximation = header.u8();
    if (approximation >> 4 != 0) scan.bit_before = approximation >> 4;
    scan.bit = approximation & 15;
    const bool is_right = !header.has_failed() && scan.first_coefficient <= scan.last_coefficient &&
                          scan.last_coefficient < static_cast<int>(kCoefficients);
    return is_right ? std::optional(scan) : std::nullopt;
  }

  void add(const JpegScan& scan) {
    for (std::size_t i = 0; i < components_.size(); ++i) {
      if ((scan.components >> i & 1U) == 0) continue;
      auto& bits = components_[i].lowest_bits;
      std::fill(bits.begin() + scan.first_coefficient, bits.begin() + scan.last_coefficient + 1, scan.bit);
    }
  }

  // Whether every block has its mean, roughly at least.
  bool shows_all() const {
    return std::all_of(components_.begin(), components_.end(),
                       [](const Component& one) { return one.lowest_bits[0] != kUnknown; });
  }

  // Measured on 14 photographs of 300 to 1,200 pixels with quality 60 and 80, as libjpeg-turbo writes them with its own
  // script of ten scans. The last bit of the luminance alone, the last scan, is 32 to 49 % of the bytes. The scan after
  // which no coefficient lacks more than its last bit, the sixth, ends at 42 to 62 % and is at 26 to 38 dB against the
  // whole picture; the scan before it ends at 22 to 41 %, two to four dB lower. The first scan, with the means, ends at
  // 5 to 15 % and is at 16 to 30 dB.
  bool lacks_little() const {
    return std::all_of(components_.begin(), components_.end(), [](const Component& one) {
      return std::all_of(one.lowest_bits.begin(), one.lowest_bits.end(), [](int bit) { return bit <= 1; });
    });
  }

 private:
  static constexpr std::size_t kCoefficients = 64;
  static constexpr int kUnknown = 99;

  struct Component {
    std::uint8_t id = 0;
    std::array<int, kCoefficients> lowest_bits{};  ///< That are known.
  };
  std::vector<Component> components_;
};

// The scan that is going on, and what its end means.
class Progress {
 public:
  explicit Progress(PhaseFindings& found) : found_(found) {}

  Refinement& refinement() { return refinement_; }

  void begin_scan(const JpegScan& scan, std::uint64_t position) {
    if (!scan_) found_.ends.push_back({Phase::kHead, position, "header", 0});
    end_scan(position);
    scan_ = scan;
  }
  void end_image(std::uint64_t position) {
    end_scan(position);
    if (scan_ && !has_good_) found_.ends.push_back({Phase::kGood, position, "image", 0});
  }
  bool has_begun() const { return scan_.has_value(); }

 private:
  static constexpr std::size_t kMostScans = 256;

  void end_scan(std::uint64_t position) {
    if (!scan_) return;
    ++scans_;
    refinement_.add(*scan_);
    scan_->end = position;
    if (found_.scans.size() < kMostScans) found_.scans.push_back(*scan_);
    if (!has_first_ && refinement_.shows_all()) has_first_ = tell(Phase::kFirst, position);
    if (!has_good_ && refinement_.lacks_little()) has_good_ = tell(Phase::kGood, position);
  }
  bool tell(Phase phase, std::uint64_t position) {
    found_.ends.push_back({phase, position, "scan", scans_});
    return true;
  }

  PhaseFindings& found_;
  Refinement refinement_;
  std::optional<JpegScan> scan_;
  int scans_ = 0;
  bool has_first_ = false;
  bool has_good_ = false;
};

}  // namespace

FeedReader find_jpeg_phases(ByteFeed& in, PhaseFindings& found) {
  Progress progress(found);
  std::optional<JpegScan> scan;
  bool is_progressive = false;
  bool has_frame = false;
  while (true) {
    // Whatever stands before a marker is pixels, or passed over as decoders do.
    co_await in.find(std::byte{0xff});
    std::uint8_t marker = 0xff;
    while (marker == 0xff) {
      ByteCursor next = co_await in.bytes(1);
      marker = next.u8();
    }
    if (stands_alone(marker)) continue;
    if (marker == kEndOfImage) break;
    ByteCursor length_field = co_await in.bytes(2);
    std::size_t left = length_field.u16be();
    if (left < 2) co_return;
    left -= 2;
    if (is_start_of_frame(marker) || marker == kStartOfScan) {
      const std::size_t count = std::min(left, ByteFeed::kMostBytes);
      ByteCursor segment = co_await in.bytes(count);
      left -= count;
      if (marker == kStartOfScan) {
        if (!has_frame) co_return;
        if (is_progressive && !(scan = progress.refinement().read_scan(segment))) co_return;
      } else {
        if (std::exchange(has_frame, true)) co_return;
        is_progressive = is_progressive_frame(marker);
        if (is_progressive && !progress.refinement().begin(segment)) co_return;
      }
    }
    co_await in.skip(left);
    if (marker != kStartOfScan) continue;
    if (!is_progressive) {
      found.ends.push_back({Phase::kHead, in.position(), "header", 0});
      found.ends.push_back({Phase::kGood, in.position(), "header", 0});
      co_return;
    }
    progress.begin_scan(*scan, in.position());
  }
  progress.end_image(in.position());
}

}  // namespace optimux::media
