#include "media/decode.hpp"

#include <utility>

#include "media/interrupt.hpp"
#include "media/interrupt_gate.hpp"
#include "media/interruptible_source.hpp"

namespace optimux::media {
namespace {

// Where each loader draws the line between damage and what browsers show:
// - JPEG warns of bad entropy-coded data, which shows as grey or torn pixels, in the same way as of harmless oddities,
//   and libvips tells of the first warning only. The harmless ones have been mended (`mend_jpeg`): none is left over.
// - For the others truncation is an error and the libraries' own errors are, warnings (of a text chunk, say) are not.
VipsFailOn fail_on(const SourceHeader& header) {
  return header.format == Format::kJpeg ? VIPS_FAIL_ON_WARNING : VIPS_FAIL_ON_ERROR;
}

// JPEG in several scans and interlaced PNG: the decoder reads the whole file before it gives the first row.
int load_progressive(VipsSource* source, const SourceHeader& header, const DecodeOptions& options, VipsImage** out) {
  const VipsFailOn strictness = fail_on(header);
  const VipsAccess access = VIPS_ACCESS_SEQUENTIAL;
  if (header.format == Format::kPng) {
    return vips_pngload_source(source, out, "fail_on", strictness, "access", access, nullptr);
  }
  return vips_jpegload_source(source, out, "shrink", options.jpeg_shrink, "fail_on", strictness, "access", access,
                              nullptr);
}

int load(const SourceBuffer& source, const SourceHeader& header, const DecodeOptions& options, VipsImage** out) {
  // libvips takes the buffer as non-const but only reads it.
  void* data = const_cast<std::byte*>(source->data());
  const std::size_t size = source->size();
  const VipsFailOn strictness = fail_on(header);
  const VipsAccess access = VIPS_ACCESS_SEQUENTIAL;
  switch (header.format) {
    case Format::kJpeg:
      return vips_jpegload_buffer(data, size, out, "shrink", options.jpeg_shrink, "fail_on", strictness, "access",
                                  access, nullptr);
    case Format::kPng: return vips_pngload_buffer(data, size, out, "fail_on", strictness, "access", access, nullptr);
    case Format::kWebp:
      return vips_webpload_buffer(data, size, out, "page", options.page, "n", options.pages, "scale",
                                  options.webp_scale, "fail_on", strictness, "access", access, nullptr);
    case Format::kGif:
      return vips_gifload_buffer(data, size, out, "page", options.page, "n", options.pages, "fail_on", strictness,
                                 "access", access, nullptr);
    case Format::kTiff:
      return vips_tiffload_buffer(data, size, out, "page", options.page, "n", options.pages, "fail_on", strictness,
                                  "access", access, nullptr);
    case Format::kAvif:
    case Format::kHeic:
      return vips_heifload_buffer(data, size, out, "thumbnail", static_cast<gboolean>(options.heif_thumbnail),
                                  "fail_on", strictness, "access", access, nullptr);
  }
  vips_error("decode", "no loader");
  return -1;
}

base::Result<ImageHandle> load_checked(const SourceBuffer& source, const SourceHeader& header,
                                       const DecodeOptions& options, const OperationControl& control) {
  auto image = make_image([&](VipsImage** out) {
    if (!header.is_progressive) return load(source, header, options, out);
    return load_progressive(new_interruptible_source(source, control).get(), header, options, out);
  });
  if (image) return image;
  const auto may_go_on = check_interrupt(control);
  return may_go_on ? std::move(image) : base::fail(may_go_on.error());
}

bool can_scale(Format format) {
  return format == Format::kJpeg || format == Format::kWebp;
}

bool has_stored_size(VipsImage* image, const SourceHeader& header, const DecodeOptions& options) {
  return vips_image_get_width(image) == header.width && vips_image_get_height(image) == header.height * options.pages;
}

}  // namespace

// A decoder that scales does so with whatever it finds, which a crafted file can make larger than the limits that were
// checked, or so small that a side comes to nothing, where libvips aborts the process. So it is asked for the unscaled
// size first, for which it reads its header only.
base::Result<ImageHandle> open_source(const SourceBuffer& source, const SourceHeader& header,
                                      const DecodeOptions& options, const OperationControl& control) {
  const DecodeOptions unscaled{.page = options.page, .pages = options.pages, .heif_thumbnail = options.heif_thumbnail};
  auto image = load_checked(source, header, unscaled, control);
  if (!image) return image;
  if (can_scale(header.format) && !has_stored_size(image->get(), header, options)) {
    return broken_media("the decoder finds another size than the header tells");
  }
  if (options.jpeg_shrink != 1 || options.webp_scale < 1) image = load_checked(source, header, options, control);
  if (!image) return image;
  return with_interrupt_gate(image->get(), control);
}

}  // namespace optimux::media
