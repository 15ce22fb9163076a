#pragma once

#include <optional>
#include <vector>

#include "media/executor.hpp"
#include "media/resize_plan.hpp"
#include "media/vips_handle.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// Makes every size of one frame after the other, in memory and ready to be encoded: cut, scaled, in standard colours,
/// turned, framed, with effects.
class FrameRenderer {
 public:
  /// `spec`, `plan` and `control` must outlive the renderer. `remaining_reduction` is what is left of the plan's
  /// reduction after the decoder's share.
  FrameRenderer(const RenderSpec& spec, const ResizePlan& plan, Format format, double remaining_reduction,
                const OperationControl& control);

  /// Renders a frame in all sizes, in the order of the plan. `cut` is the plan's cut of the frame as the decoder gives
  /// it; its pixels are read once, from the top to the bottom. Errors: kBrokenMedia, kCancelled, kDeadlineExceeded.
  base::Result<std::vector<ImageHandle>> render(VipsImage* cut);

 private:
  base::Result<ImageHandle> shared_base(VipsImage* cut) const;
  base::Result<ImageHandle> render_size(VipsImage* base, std::size_t index);
  base::Result<ImageHandle> scale(VipsImage* base, const SizePlan& size) const;
  base::Result<ImageHandle> frame(VipsImage* scaled, std::size_t index);
  base::Result<ImageHandle> cut_by_gravity(VipsImage* image, std::size_t index);
  base::Result<ImageHandle> apply_effects(VipsImage* image) const;
  base::Result<ImageHandle> fit_to_format(VipsImage* image) const;

  const RenderSpec& spec_;
  const ResizePlan& plan_;
  const Format format_;
  const double remaining_reduction_;
  const OperationControl& control_;
  /// Where each size is cut out: found in the first frame, so that an animation does not jump.
  std::vector<std::optional<Offset>> offsets_;
};

}  // namespace optimux::media
