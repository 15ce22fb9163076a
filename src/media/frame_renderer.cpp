#include "media/frame_renderer.hpp"

#include <cmath>

#include "media/colour.hpp"
#include "media/effects.hpp"
#include "media/framing.hpp"
#include "media/materialise.hpp"
#include "media/resample.hpp"

namespace optimux::media {

FrameRenderer::FrameRenderer(const RenderSpec& spec, const ResizePlan& plan, Format format, double remaining_reduction,
                             const OperationControl& control)
    : spec_(spec),
      plan_(plan),
      format_(format),
      remaining_reduction_(remaining_reduction),
      control_(control),
      offsets_(plan.sizes.size()) {}

base::Result<std::vector<ImageHandle>> FrameRenderer::render(VipsImage* cut) {
  const auto base = plan_.sizes.size() == 1 ? share(cut) : shared_base(cut);
  if (!base) return base::fail(base.error());
  std::vector<ImageHandle> results;
  for (std::size_t i = 0; i < plan_.sizes.size(); ++i) {
    auto result = render_size(base->get(), i);
    if (!result) return base::fail(result.error());
    results.push_back(std::move(*result));
  }
  return results;
}

// A decoder's pixels can be read only once. For several sizes they are kept, box-filtered to twice the largest size at
// the least, which is what the resampler would do as its own first step.
base::Result<ImageHandle> FrameRenderer::shared_base(VipsImage* cut) const {
  const double shrink = std::floor(remaining_reduction_ / 2);
  if (shrink < 2 || vips_image_hasalpha(cut) != 0) return materialise(cut, control_);
  const auto smaller =
      make_image([&](VipsImage** out) { return vips_shrink(cut, out, shrink, shrink, "ceil", TRUE, nullptr); });
  if (!smaller) return base::fail(smaller.error());
  return materialise(smaller->get(), control_);
}

base::Result<ImageHandle> FrameRenderer::render_size(VipsImage* base, std::size_t index) {
  const auto scaled = scale(base, plan_.sizes[index]);
  if (!scaled) return base::fail(scaled.error());
  auto framed = frame(scaled->get(), index);
  if (!framed || framed->get() == scaled->get()) return framed;
  const bool has_effects = spec_.blur > 0 || spec_.sharpen > 0;
  return materialise(framed->get(), control_, has_effects ? Reach::kNeighbourhood : Reach::kPixel);
}

// Colours are converted after scaling, when few pixels are left, in the same pass over the decoder's rows.
base::Result<ImageHandle> FrameRenderer::scale(VipsImage* base, const SizePlan& size) const {
  const bool swaps = plan_.orientation.swaps_axes;
  const PixelSize target = swaps ? PixelSize{size.resized.height, size.resized.width} : size.resized;
  auto step = resample(base, target);
  if (step) step = to_standard_colour(step->get());
  if (step) step = materialise(step->get(), control_);
  return step;
}

base::Result<ImageHandle> FrameRenderer::frame(VipsImage* scaled, std::size_t index) {
  const SizePlan& size = plan_.sizes[index];
  auto step = reorient(scaled, plan_.orientation);
  if (step && size.framing == Framing::kCut) step = cut_by_gravity(step->get(), index);
  if (step && (spec_.background || format_ == Format::kJpeg)) {
    step = flatten(step->get(), spec_.background.value_or(Colour{}));
  }
  if (step) step = apply_effects(step->get());
  if (step && size.framing == Framing::kPad) {
    step = pad(step->get(), size.result, spec_.gravity, spec_.background);
  }
  if (step) step = fit_to_format(step->get());
  return step;
}

base::Result<ImageHandle> FrameRenderer::cut_by_gravity(VipsImage* image, std::size_t index) {
  const PixelSize inner = plan_.sizes[index].result;
  if (!offsets_[index]) {
    const auto found = find_cut(image, inner, spec_.gravity);
    if (!found) return base::fail(found.error());
    offsets_[index] = *found;
  }
  return cut_out(image, {offsets_[index]->left, offsets_[index]->top, inner.width, inner.height});
}

base::Result<ImageHandle> FrameRenderer::apply_effects(VipsImage* image) const {
  base::Result<ImageHandle> step = share(image);
  if (spec_.blur > 0) step = blur(step->get(), spec_.blur);
  if (step && spec_.sharpen > 0) step = sharpen(step->get(), spec_.sharpen);
  return step;
}

base::Result<ImageHandle> FrameRenderer::fit_to_format(VipsImage* image) const {
  const bool holds_grey = format_ == Format::kJpeg || format_ == Format::kPng;
  const bool is_grey = vips_image_get_bands(image) < 3;
  return is_grey && !holds_grey ? to_three_bands(image) : share(image);
}

}  // namespace optimux::media
