#include "media/interrupt_gate.hpp"

#include "media/interrupt.hpp"

namespace optimux::media {
namespace {

int pass_region(VipsRegion* out, void* sequence, void* /*image*/, void* control, gboolean* /*stop*/) {
  if (!check_interrupt(*static_cast<const OperationControl*>(control))) {
    vips_error("interrupt", "stopped");
    return -1;
  }
  auto* in = static_cast<VipsRegion*>(sequence);
  const VipsRect area = out->valid;
  if (vips_region_prepare(in, &area) != 0) return -1;
  return vips_region_region(out, in, &area, area.left, area.top);
}

}  // namespace

base::Result<ImageHandle> with_interrupt_gate(VipsImage* image, const OperationControl& control) {
  ImageHandle gate(vips_image_new());
  g_object_ref(image);
  vips_object_local(VIPS_OBJECT(gate.get()), image);
  // libvips takes its user data as pointers to non-const; the gate only reads.
  auto* state = const_cast<OperationControl*>(&control);
  if (vips_image_pipelinev(gate.get(), VIPS_DEMAND_STYLE_THINSTRIP, image, nullptr) != 0 ||
      vips_image_generate(gate.get(), vips_start_one, pass_region, vips_stop_one, image, state) != 0) {
    return base::fail(take_vips_error(base::ErrorCode::kInternal));
  }
  return gate;
}

}  // namespace optimux::media
