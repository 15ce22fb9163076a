#include "media/materialise.hpp"

#include <algorithm>
#include <cstring>

#include "media/interrupt.hpp"

namespace optimux::media {
namespace {

// Enough rows to spread the cost of a request through the pipeline, few enough to stay in the processor's cache.
constexpr int kFewRows = 16;
// An operation that looks at neighbours computes those above and below a strip again for the next one: the strip has to
// be taller than they are (a blur of sigma 50 looks at some 130 on each side).
constexpr int kManyRows = 256;
// Of a strip of many rows, so that a stop is noticed soon.
constexpr int kMostPixels = 1 << 20;

int rows_at_once(VipsImage* image, Reach reach) {
  if (reach == Reach::kPixel) return kFewRows;
  return std::clamp(kMostPixels / vips_image_get_width(image), kFewRows, kManyRows);
}

base::Result<ImageHandle> new_memory_image_like(VipsImage* image) {
  ImageHandle memory(vips_image_new_memory());
  if (vips_image_pipelinev(memory.get(), VIPS_DEMAND_STYLE_ANY, image, nullptr) != 0 ||
      vips_image_write_prepare(memory.get()) != 0) {
    return base::fail(take_vips_error(base::ErrorCode::kInternal));
  }
  // The pixels no longer come from a stream that has to be read in order.
  vips_image_remove(memory.get(), VIPS_META_SEQUENTIAL);
  // Inherited from the decoder's image, which may be gone before the pixels are.
  memory.get()->progress_signal = nullptr;
  return memory;
}

void copy_rows(VipsRegion* from, const VipsRect& rows, VipsImage* to) {
  const std::size_t bytes = VIPS_IMAGE_SIZEOF_LINE(to);
  for (int y = rows.top; y < rows.top + rows.height; ++y) {
    std::memcpy(VIPS_IMAGE_ADDR(to, 0, y), VIPS_REGION_ADDR(from, 0, y), bytes);
  }
}

}  // namespace

// libvips' own sinks would do the same through a pool of threads and a second thread that writes; here the caller's
// thread does the work, which is one hand-over less and keeps its scheduling priority.
base::Result<ImageHandle> materialise(VipsImage* image, const OperationControl& control, Reach reach) {
  auto memory = new_memory_image_like(image);
  if (!memory) return memory;
  const RegionHandle region(vips_region_new(image));
  const int height = vips_image_get_height(image);
  const int rows_of_strip = rows_at_once(image, reach);
  for (int top = 0; top < height; top += rows_of_strip) {
    if (const auto may_go_on = check_interrupt(control); !may_go_on) return base::fail(may_go_on.error());
    const VipsRect rows = {0, top, vips_image_get_width(image), std::min(rows_of_strip, height - top)};
    if (vips_region_prepare(region.get(), &rows) != 0) {
      base::Error failure = take_vips_error(base::ErrorCode::kBrokenMedia);
      const auto may_go_on = check_interrupt(control);
      return base::fail(may_go_on ? std::move(failure) : may_go_on.error());
    }
    copy_rows(region.get(), rows, memory->get());
  }
  return memory;
}

}  // namespace optimux::media
