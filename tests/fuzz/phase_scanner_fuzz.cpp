// The scanners of encoded pictures: no bytes crash them, no end lies behind what was fed or before the one before it,
// and where the bytes are cut makes no difference. The first byte is the format, the second the size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "media/phase_scanner.hpp"

namespace {

using optimux::media::Format;
using optimux::media::PhaseEnd;
using optimux::media::PhaseScanner;

std::vector<PhaseEnd> scan(Format format, std::span<const std::byte> bytes, std::size_t step) {
  PhaseScanner scanner(format);
  std::uint64_t fed = 0;
  std::uint64_t last = 0;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(step, bytes.size()))) {
    const auto piece = bytes.first(std::min(step, bytes.size()));
    fed += piece.size();
    for (const PhaseEnd& end : scanner.feed(piece)) {
      if (end.offset > fed || end.offset < last) std::abort();
      last = end.offset;
    }
  }
  return scanner.findings().ends;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto format = static_cast<Format>(data[0] % 7);
  const std::size_t step = data[1] % 64 + 1;
  const auto bytes = std::as_bytes(std::span(data, size).subspan(2));
  if (scan(format, bytes, bytes.size() + 1) != scan(format, bytes, step)) std::abort();
  return 0;
}
