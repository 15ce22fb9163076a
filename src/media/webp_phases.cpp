#include "media/webp_phases.hpp"

#include <cstdint>
#include <string_view>

namespace optimux::media {

FeedReader find_webp_phases(ByteFeed& in, PhaseFindings& found) {
  // RFC 9649, section 2.7. The fields with the size lie within as many bytes whether they are those of VP8, VP8L or
  // VP8X, and no picture is shorter.
  constexpr std::size_t kHeaderBytes = 30;
  constexpr std::size_t kCanvasBytes = 10;
  constexpr unsigned kAnimationFlag = 0x02;
  ByteCursor header = co_await in.bytes(kHeaderBytes);
  header.skip(12);
  const bool has_canvas = header.text(4) == "VP8X";
  const std::uint64_t canvas_bytes = header.u32le();
  const bool is_animation = has_canvas && (header.u8() & kAnimationFlag) != 0;
  found.ends.push_back({base::Phase::kHead, in.position(), "header", 0});
  if (!is_animation) {
    found.ends.push_back({base::Phase::kGood, in.position(), "header", 0});
    co_return;
  }
  if (canvas_bytes < kCanvasBytes) co_return;
  co_await in.skip(canvas_bytes + canvas_bytes % 2 - kCanvasBytes);
  while (true) {
    ByteCursor chunk = co_await in.bytes(8);
    const bool is_frame = chunk.text(4) == "ANMF";
    const std::uint64_t length = chunk.u32le();
    co_await in.skip(length + length % 2);
    if (is_frame) break;
  }
  found.ends.push_back({base::Phase::kGood, in.position(), "frame", 1});
}

}  // namespace optimux::media
