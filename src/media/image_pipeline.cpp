#include "media/image_pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "media/decode.hpp"
#include "media/encode.hpp"
#include "media/frame_renderer.hpp"
#include "media/frame_selection.hpp"
#include "media/framing.hpp"
#include "media/gif_pixels.hpp"
#include "media/header_limits.hpp"
#include "media/interrupt.hpp"
#include "media/jpeg_header.hpp"
#include "media/metadata.hpp"
#include "media/resize_plan.hpp"
#include "media/source_header.hpp"
#include "media/thumbnail_pixels.hpp"

namespace optimux::media {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

Rectangle scaled(const Rectangle& area, double x, double y, PixelSize bounds) {
  const auto edge = [](int value, double factor, int most) {
    return std::clamp(static_cast<int>(std::lround(value * factor)), 0, most);
  };
  Rectangle result;
  result.left = std::min(edge(area.left, x, bounds.width), bounds.width - 1);
  result.top = std::min(edge(area.top, y, bounds.height), bounds.height - 1);
  result.width = std::max(1, edge(area.left + area.width, x, bounds.width) - result.left);
  result.height = std::max(1, edge(area.top + area.height, y, bounds.height) - result.top);
  return result;
}

/// One call of `render_image`: what is known of the source, and the way from one step to the next.
class ImageRender {
 public:
  ImageRender(const SourceBuffer& source, const RenderSpec& spec, const MediaLimits& limits,
              const OperationControl& control)
      : source_(source), spec_(spec), limits_(limits), control_(control) {}

  /// Header, limits and plan; nothing is decoded.
  base::Status prepare();
  /// Finished pixels of all sizes in memory.
  base::Result<std::vector<ImageHandle>> decode();
  Format format() const { return format_; }

 private:
  base::Status plan(PixelSize stored);
  DecodeOptions choose_decode() const;
  base::Result<ImageHandle> open();
  base::Result<ImageHandle> open_thumbnail(DecodeOptions options) const;
  base::Result<ImageHandle> check_size(ImageHandle loaded, const DecodeOptions& options);
  PixelSize loaded_size(VipsImage* loaded) const;
  base::Result<ImageHandle> cut_of_frame(VipsImage* loaded, int index) const;

  SourceBuffer source_;
  const RenderSpec& spec_;
  const MediaLimits& limits_;
  const OperationControl& control_;
  SourceHeader header_;
  Format format_ = Format::kJpeg;
  FrameSelection frames_;
  ResizePlan plan_;
};

base::Status ImageRender::prepare() {
  auto header = read_source_header(*source_, spec_.page);
  if (!header) return base::fail(header.error());
  header_ = *header;
  format_ = choose_format(spec_, header_.format, header_.has_alpha);
  if (!is_writable(format_)) return base::fail(base::ErrorCode::kInvalidParameter, "format: is read only");
  const auto frames = select_frames(spec_, header_, format_);
  if (!frames) return base::fail(frames.error());
  frames_ = *frames;
  if (auto fits = check_header_limits(header_, frames_, limits_); !fits) return fits;
  if (header_.may_warn) source_ = std::make_shared<const base::ByteBuffer>(mend_jpeg(*source_));
  return plan({static_cast<int>(header_.width), static_cast<int>(header_.height)});
}

base::Status ImageRender::plan(PixelSize stored) {
  auto plan = plan_resize(stored, header_.orientation, frames_.count, spec_, limits_);
  if (!plan) return base::fail(plan.error());
  plan_ = std::move(*plan);
  for (const SizePlan& size : plan_.sizes) {
    if (auto fits = check_format_limits(format_, size.result, spec_); !fits) return fits;
  }
  return {};
}

DecodeOptions ImageRender::choose_decode() const {
  DecodeOptions options;
  options.page = frames_.first;
  options.pages = frames_.count;
  if (header_.format == Format::kJpeg) options.jpeg_shrink = choose_jpeg_shrink(plan_.reduction, spec_.thumb);
  if (header_.format == Format::kWebp && !header_.is_animation) {
    options.webp_scale = choose_webp_scale(plan_.reduction, spec_.thumb);
  }
  return options;
}

base::Result<ImageHandle> ImageRender::open() {
  if (header_.format == Format::kGif) {
    const auto whole = check_gif_pixels(*source_, frames_.first + frames_.count, control_);
    if (!whole) return base::fail(whole.error());
  }
  const DecodeOptions options = choose_decode();
  const bool is_heif = header_.format == Format::kHeic || header_.format == Format::kAvif;
  if (is_heif && spec_.thumb) {
    auto thumbnail = open_thumbnail(options);
    if (thumbnail) return thumbnail;
  }
  auto loaded = open_source(source_, header_, options, control_);
  if (!loaded) return loaded;
  return check_size(std::move(*loaded), options);
}

// A thumbnail is good enough when it shows the whole picture in at least the size that is wanted. One that is larger
// than the picture has never been held against the limits.
base::Result<ImageHandle> ImageRender::open_thumbnail(DecodeOptions options) const {
  options.heif_thumbnail = true;
  auto loaded = open_source(source_, header_, options, control_);
  if (!loaded) return loaded;
  const PixelSize size = loaded_size(loaded->get());
  const double reduction = static_cast<double>(header_.width) / size.width;
  const bool has_same_shape = std::abs(static_cast<double>(header_.height) / reduction - size.height) <= 1;
  if (has_same_shape && reduction >= 1 && reduction <= plan_.reduction) return loaded;
  return base::fail(base::ErrorCode::kNotFound, "", "no thumbnail that is large enough");
}

// The decoder has the last word on the size where it cannot scale; a source whose header told our parser something
// else is planned again, within the same limits.
base::Result<ImageHandle> ImageRender::check_size(ImageHandle loaded, const DecodeOptions& options) {
  if (options.jpeg_shrink != 1 || options.webp_scale < 1) return loaded;
  const PixelSize size = loaded_size(loaded.get());
  if (size.width == header_.width && size.height == header_.height) return loaded;
  header_.width = size.width;
  header_.height = size.height;
  if (const auto fits = check_header_limits(header_, frames_, limits_); !fits) return base::fail(fits.error());
  if (const auto planned = plan(size); !planned) return base::fail(planned.error());
  return loaded;
}

PixelSize ImageRender::loaded_size(VipsImage* loaded) const {
  return {vips_image_get_width(loaded), vips_image_get_height(loaded) / frames_.count};
}

base::Result<ImageHandle> ImageRender::cut_of_frame(VipsImage* loaded, int index) const {
  const PixelSize size = loaded_size(loaded);
  Rectangle area = scaled(plan_.cut, static_cast<double>(size.width) / static_cast<double>(header_.width),
                          static_cast<double>(size.height) / static_cast<double>(header_.height), size);
  area.top += index * size.height;
  return cut_out(loaded, area);
}

base::Result<std::vector<ImageHandle>> ImageRender::decode() {
  const auto loaded = open();
  if (!loaded) return base::fail(loaded.error());
  const double decoder_reduction =
      static_cast<double>(header_.width) / static_cast<double>(loaded_size(loaded->get()).width);
  FrameRenderer renderer(spec_, plan_, format_, plan_.reduction / decoder_reduction, control_);
  std::vector<std::vector<ImageHandle>> frames_of_size(plan_.sizes.size());
  for (int frame = 0; frame < frames_.count; ++frame) {
    const auto cut = cut_of_frame(loaded->get(), frame);
    if (!cut) return base::fail(cut.error());
    auto results = renderer.render(cut->get());
    if (!results) return base::fail(results.error());
    for (std::size_t i = 0; i < results->size(); ++i) frames_of_size[i].push_back(std::move((*results)[i]));
  }
  std::vector<ImageHandle> images;
  for (auto& frames : frames_of_size) {
    auto image = frames.size() == 1 ? base::Result<ImageHandle>(std::move(frames[0]))
                                    : join_frames(frames, loaded->get(), frames_.first);
    if (!image) return base::fail(image.error());
    images.push_back(std::move(*image));
  }
  return images;
}

}  // namespace

base::Result<RenderReport> render_image(const SourceBuffer& source, const RenderSpec& spec, const MediaLimits& limits,
                                        std::span<const std::shared_ptr<base::SharedBody>> outputs,
                                        const OperationControl& control) {
  if (const auto may_go_on = check_interrupt(control); !may_go_on) return base::fail(may_go_on.error());
  const auto start = Clock::now();
  ImageRender render(source, spec, limits, control);
  if (const auto prepared = render.prepare(); !prepared) return base::fail(prepared.error());
  auto images = render.decode();
  if (!images) return base::fail(images.error());
  RenderReport report;
  report.format = render.format();
  report.decode = since(start);
  if (control.on_progress) control.on_progress(report);
  const auto decoded = Clock::now();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto encoded = encode((*images)[i].get(), render.format(), spec, *outputs[i], control);
    if (!encoded) return base::fail(encoded.error());
    (*images)[i].reset();
    report.encode = since(decoded);
    if (control.on_progress) control.on_progress(report);
    outputs[i]->complete();
  }
  return report;
}

base::Result<RgbPixels> thumbnail_pixels(const SourceBuffer& source, int side, const MediaLimits& limits,
                                         const OperationControl& control) {
  // As for a JPEG on white: without alpha.
  RenderSpec spec{
      .sizes = {Size{side, side}}, .format = Format::kWebp, .thumb = true, .background = Colour{}, .frames = 1};
  ImageRender render(source, spec, limits, control);
  if (const auto prepared = render.prepare(); !prepared) return base::fail(prepared.error());
  const auto images = render.decode();
  if (!images) return base::fail(images.error());
  VipsImage* image = (*images)[0].get();
  const auto* first = static_cast<const std::uint8_t*>(vips_image_get_data(image));
  RgbPixels pixels{{}, vips_image_get_width(image), vips_image_get_height(image)};
  pixels.rgb.assign(first, first + VIPS_IMAGE_SIZEOF_IMAGE(image));
  return pixels;
}

}  // namespace optimux::media
