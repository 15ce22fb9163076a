#include "media/png_phases.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace optimux::media {
namespace {

using base::Phase;

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChecksumBytes = 4;

// What IHDR says (ISO/IEC 15948, section 11.2.2).
struct PixelLayout {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t bits = 0;  ///< A pixel.
  bool is_interlaced = false;
};

PixelLayout read_layout(ByteCursor header) {
  constexpr std::array<std::uint64_t, 7> kSamples = {1, 0, 3, 1, 2, 0, 4};  // By colour type.
  PixelLayout layout;
  layout.width = header.u32be();
  layout.height = header.u32be();
  const std::uint64_t depth = header.u8();
  const std::size_t colour_type = header.u8();
  layout.bits = depth * (colour_type < kSamples.size() ? kSamples[colour_type] : 0);
  header.skip(2);
  layout.is_interlaced = header.u8() == 1;
  return layout;
}

// ISO/IEC 15948, section 8.2: which pixels a pass has.
struct Pass {
  std::uint64_t left, top, across, down;

  /// Before compression: a byte for the filter and the pixels, for each row.
  std::uint64_t bytes(const PixelLayout& layout) const {
    const std::uint64_t columns = (layout.width + across - 1 - left) / across;
    const std::uint64_t rows = (layout.height + down - 1 - top) / down;
    return columns == 0 ? 0 : rows * (1 + (columns * layout.bits + 7) / 8);
  }
};
constexpr std::array<Pass, 5> kPasses = {{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}}};

// The passes that end a phase. Of photographs pass 3 ends at 7 to 8 % of the bytes and pass 5 at 27 to 29 %; graphics
// take somewhat more of theirs.
struct Shown {
  Phase phase;
  std::size_t passes;
};
constexpr std::array<Shown, 2> kShown = {{{Phase::kFirst, 3}, {Phase::kGood, 5}}};

std::uint64_t bytes_of_passes(const PixelLayout& layout, std::size_t count) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += kPasses[i].bytes(layout);
  return bytes;
}

// Inflates a stream and counts what comes out.
class InflatedCount {
 public:
  InflatedCount() : is_ready_(inflateInit(&stream_) == Z_OK) {}
  InflatedCount(const InflatedCount&) = delete;
  InflatedCount& operator=(const InflatedCount&) = delete;
  ~InflatedCount() {
    if (is_ready_) inflateEnd(&stream_);
  }

  std::uint64_t count() const { return count_; }

  // Goes on up to the byte that brings the count to `goal`, or to the end of `bytes`; returns how many of them that
  // took, or nothing when they are no such stream.
  std::optional<std::size_t> advance(std::uint64_t goal, std::span<const std::byte> bytes) {
    // Deflate makes at most 258 bytes of two bits. A step that cannot reach the goal is followed by smaller ones down
    // to single bytes, so that the end is found exactly, whatever the pieces are.
    constexpr std::uint64_t kMostInflation = 2048;
    const std::size_t all = bytes.size();
    while (count_ < goal && !bytes.empty()) {
      const auto step = std::clamp<std::uint64_t>((goal - count_) / kMostInflation, 1, bytes.size());
      if (!inflate_all(bytes.first(step), goal)) return std::nullopt;
      bytes = bytes.subspan(step);
    }
    return all - bytes.size();
  }

 private:
  bool inflate_all(std::span<const std::byte> bytes, std::uint64_t goal) {
    std::array<Bytef, 8192> output;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int outcome = is_ready_ ? Z_OK : Z_STREAM_ERROR;
    while (outcome == Z_OK && count_ < goal) {
      const auto room = static_cast<uInt>(std::min<std::uint64_t>(goal - count_, output.size()));
      stream_.next_out = output.data();
      stream_.avail_out = room;
      outcome = inflate(&stream_, Z_NO_FLUSH);
      count_ += room - stream_.avail_out;
      if (stream_.avail_out > 0) break;
    }
    return outcome == Z_OK || outcome == Z_BUF_ERROR || count_ == goal;
  }

  z_stream stream_{};
  const bool is_ready_;
  std::uint64_t count_ = 0;
};

}  // namespace

FeedReader find_png_phases(ByteFeed& in, PhaseFindings& found) {
  PixelLayout layout;
  std::uint64_t left = 0;  // Of the chunk.
  co_await in.skip(kSignatureBytes);
  while (true) {
    ByteCursor chunk = co_await in.bytes(8);
    left = chunk.u32be();
    const std::string_view type = chunk.text(4);
    if (type == "IDAT") break;
    if (type == "IHDR") {
      constexpr std::size_t kHeaderBytes = 13;
      if (left != kHeaderBytes) co_return;
      ByteCursor header = co_await in.bytes(kHeaderBytes);
      layout = read_layout(header);
      left = 0;
    }
    co_await in.skip(left + kChecksumBytes);
  }
  if (layout.width == 0 || layout.height == 0 || layout.bits == 0) co_return;
  found.ends.push_back({Phase::kHead, in.position(), "header", 0});
  if (!layout.is_interlaced) {
    found.ends.push_back({Phase::kGood, in.position(), "header", 0});
    co_return;
  }
  const auto pixels = std::make_unique<InflatedCount>();
  for (const Shown& shown : kShown) {
    const std::uint64_t goal = bytes_of_passes(layout, shown.passes);
    while (pixels->count() < goal) {
      if (left == 0) {
        co_await in.skip(kChecksumBytes);
        ByteCursor chunk = co_await in.bytes(8);
        left = chunk.u32be();
        if (chunk.text(4) != "IDAT") co_return;
        continue;
      }
      const auto at_hand = co_await in.at_hand();
      const auto taken = pixels->advance(goal, at_hand.first(std::min<std::uint64_t>(left, at_hand.size())));
      if (!taken) co_return;
      in.take(*taken);
      left -= *taken;
    }
    found.ends.push_back({shown.phase, in.position(), "pass", static_cast<int>(shown.passes)});
  }
}

}  // namespace optimux::media
