#include "media/heif_phases.hpp"

#include <cstdint>

namespace optimux::media {

FeedReader find_heif_phases(ByteFeed& in, PhaseFindings& found) {
  // ISO/IEC 14496-12, section 4.2: 32 bits of size, the type, perhaps 64 bits of size. Every picture of a `meta` box
  // has its size there (ISO/IEC 23008-12, section 6.5.3).
  constexpr std::uint64_t kToTheEnd = 0;
  constexpr std::uint64_t kSizeIs64Bit = 1;
  while (true) {
    ByteCursor box = co_await in.bytes(8);
    std::uint64_t header = 8;
    std::uint64_t size = box.u32be();
    const bool is_meta = box.text(4) == "meta";
    if (size == kToTheEnd) co_return;
    if (size == kSizeIs64Bit) {
      ByteCursor large = co_await in.bytes(8);
      size = large.u64be();
      header = 16;
    }
    if (size < header) co_return;
    co_await in.skip(size - header);
    if (is_meta) break;
  }
  found.ends.push_back({base::Phase::kHead, in.position(), "meta box", 0});
  found.ends.push_back({base::Phase::kGood, in.position(), "meta box", 0});
}

}  // namespace optimux::media
