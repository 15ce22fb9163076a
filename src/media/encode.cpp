#include "media/encode.hpp"

#include <algorithm>
#include <string>

#include "media/body_target.hpp"
#include "media/encode_avif.hpp"
#include "media/encode_gif.hpp"
#include "media/encode_jpeg.hpp"
#include "media/encode_png.hpp"
#include "media/encode_webp.hpp"
#include "media/interrupt_gate.hpp"
#include "media/metadata.hpp"

namespace optimux::media {
namespace {

// Longest side: WebP by RFC 9649, JPEG and GIF by their 16-bit fields (libjpeg stops at 65,500), AV1 by its 16-bit
// fields.
int longest_side(Format format) {
  switch (format) {
    case Format::kWebp: return 16'383;
    case Format::kJpeg: return 65'500;
    case Format::kGif:
    case Format::kAvif: return 65'535;
    default: return 1'000'000;
  }
}

int write(Format format, VipsImage* image, VipsTarget* target, const RenderSpec& spec, bool strip) {
  switch (format) {
    case Format::kJpeg: return encode_jpeg(image, target, spec, strip);
    case Format::kPng: return encode_png(image, target, spec, strip);
    case Format::kWebp: return encode_webp(image, target, spec, strip);
    case Format::kAvif: return encode_avif(image, target, spec, strip);
    case Format::kGif: return encode_gif(image, target, spec, strip);
    case Format::kTiff:
    case Format::kHeic: break;
  }
  vips_error("encode", "no encoder");
  return -1;
}

base::BodyHead head_of(VipsImage* image, Format format) {
  base::BodyHead head;
  head.content_type = content_type_of(format);
  head.width = vips_image_get_width(image);
  head.height = vips_image_get_page_height(image);
  head.pages = vips_image_get_height(image) / head.height;
  head.has_phases = true;
  return head;
}

}  // namespace

base::Status check_format_limits(Format format, PixelSize size, const RenderSpec& spec) {
  const int limit = longest_side(format);
  const std::string shape = std::to_string(size.width) + "x" + std::to_string(size.height);
  if (std::max(size.width, size.height) > limit) {
    return base::fail(base::ErrorCode::kLimitExceeded, "the result of " + shape + " exceeds the " +
                                                           std::to_string(limit) + " pixels a side of " +
                                                           std::string(name_of(format)));
  }
  const int most_effort = most_avif_effort(static_cast<std::int64_t>(size.width) * size.height);
  if (format == Format::kAvif && spec.effort.value_or(kDefaultAvifEffort) > most_effort) {
    return base::fail(base::ErrorCode::kLimitExceeded,
                      "effort: an avif of " + shape + " can be had with at most " + std::to_string(most_effort));
  }
  return {};
}

base::Status encode(VipsImage* image, Format format, const RenderSpec& spec, base::SharedBody& body,
                    const OperationControl& control) {
  const auto labelled = label(image, spec.strip);
  if (!labelled) return base::fail(labelled.error());
  const auto gate = with_interrupt_gate(labelled->image.get(), control);
  if (!gate) return base::fail(gate.error());
  const BodyTarget target(body, format, control);
  if (auto may_go_on = target.check(); !may_go_on) return may_go_on;
  body.start(head_of(image, format));
  const int outcome = write(format, gate->get(), target.get(), spec, !labelled->has_metadata);
  if (outcome != 0) {
    const base::Error failure = take_vips_error(base::ErrorCode::kInternal);
    const auto may_go_on = target.check();
    return base::fail(may_go_on ? failure : may_go_on.error());
  }
  return target.check();
}

}  // namespace optimux::media
