#include "media/frame_selection.hpp"

#include <algorithm>

namespace optimux::media {

Format choose_format(const RenderSpec& spec, Format source, bool has_alpha) {
  if (spec.format) return *spec.format;
  if (is_writable(source)) return source;
  return has_alpha ? Format::kPng : Format::kJpeg;
}

bool can_animate(Format format) {
  return format == Format::kGif || format == Format::kWebp;
}

base::Result<FrameSelection> select_frames(const RenderSpec& spec, const SourceHeader& header, Format format) {
  if (spec.page < 0 || spec.page >= header.pages) {
    return no_such_page(header.pages);
  }
  if (!can_animate(format)) return FrameSelection{spec.page, 1};
  const int left = header.pages - spec.page;
  const int wanted = spec.frames.value_or(header.is_animation ? -1 : 1);
  return FrameSelection{spec.page, wanted < 0 ? left : std::clamp(wanted, 1, left)};
}

}  // namespace optimux::media
