#pragma once

#include "base/result.hpp"
#include "media/render_spec.hpp"
#include "media/source_header.hpp"

namespace optimux::media {

/// Which frames or pages of a source become the rendition.
struct FrameSelection {
  int first = 0;
  int count = 1;
  bool operator==(const FrameSelection&) const = default;
};

/// The format that is written: the asked for one, else the source's own, else PNG for pictures with alpha and JPEG for
/// the rest.
Format choose_format(const RenderSpec& spec, Format source, bool has_alpha);

/// Whether a format holds several frames.
bool can_animate(Format format);

/// The frames for a rendition in `format`: one where the format holds no more; all from `page` on for an animation
/// unless `frames` says otherwise; one of a document of pages unless `frames` says otherwise. kInvalidParameter when
/// `page` is not in the source; kLimitExceeded when pages are wanted together that differ in size. Pure.
base::Result<FrameSelection> select_frames(const RenderSpec& spec, const SourceHeader& header, Format format);

}  // namespace optimux::media
