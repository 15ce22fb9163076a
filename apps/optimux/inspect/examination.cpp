#include "apps/optimux/inspect/examination.hpp"

#include "media/inspect.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace optimux::apps {

std::vector<media::PhaseEnd> Examination::phases() const {
  std::vector<media::PhaseEnd> phases;
  for (const base::Phase phase : {base::Phase::kHead, base::Phase::kFirst, base::Phase::kGood, base::Phase::kFull}) {
    const auto end = std::ranges::find_if(found.ends, [phase](const auto& one) { return one.phase >= phase; });
    phases.push_back(end != found.ends.end() ? *end : media::PhaseEnd{phase, info.bytes, "file", 0});
    phases.back().phase = phase;
  }
  return phases;
}

base::Result<Examination> examine(std::span<const std::byte> bytes) {
  media::MediaLimits limits;
  limits.max_frame_pixels = std::numeric_limits<std::int64_t>::max();
  auto info = media::inspect_image(bytes, limits);
  if (!info) return base::fail(info.error());
  media::PhaseScanner scanner(info->format);
  scanner.feed(bytes);
  return Examination{std::move(*info), scanner.findings()};
}

}  // namespace optimux::apps
