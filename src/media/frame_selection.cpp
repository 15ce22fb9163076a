#include "media/frame_selection.hpp"

#include <algorithm>
#include <string>

namespace optimux::media {

Format choose_format(const RenderSpec& spec, Format source, bool has_alpha) {
  if (spec.format) return *spec.format;
  if (is_writable(source)) return source;
  return has_alpha ? Format::kPng : Format::kJpeg;
}

bool can_animate(Format format) {
  return format == Format::kGif || format == Format::kWebp;
}

namespace {

tl::unexpected<base::Error> unlike_pages(int first, int other) {
  return base::fail(base::ErrorCode::kLimitExceeded,
                    "frames: page " + std::to_string(other) + " differs from page " + std::to_string(first) +
                        " in size or kind, so that they make no animation; ask for one page at a time");
}

}  // namespace

base::Result<FrameSelection> select_frames(const RenderSpec& spec, const SourceHeader& header, Format format) {
  if (spec.page < 0 || spec.page >= header.pages) {
    return no_such_page(header.pages);
  }
  if (!can_animate(format)) return FrameSelection{spec.page, 1};
  const int left = header.pages - spec.page;
  const int wanted = spec.frames.value_or(header.is_animation ? -1 : 1);
  const int count = wanted < 0 ? left : std::clamp(wanted, 1, left);
  if (count > header.like_pages) return unlike_pages(spec.page, spec.page + header.like_pages);
  return FrameSelection{spec.page, count};
}

}  // namespace optimux::media
