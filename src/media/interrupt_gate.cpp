#include "media/interrupt_gate.hpp"

#include <functional>
#include <stop_token>

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

base::Result<ImageHandle> with_gate(VipsImage* image, const OperationControl& control) {
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

/// Ends the evaluation of an image when a stop is asked for: libvips looks at an image's kill flag before each region
/// of it that it prepares.
class KillSwitch {
 public:
  KillSwitch(VipsImage* image, const std::stop_token& stop)
      : callback_(stop, [image] { vips_image_set_kill(image, TRUE); }) {}

 private:
  std::stop_callback<std::function<void()>> callback_;
};

void delete_kill_switch(void* kill_switch) {
  delete static_cast<KillSwitch*>(kill_switch);
}

}  // namespace

// The flag costs nothing; the gate makes libvips share and clear a buffer for each strip (3 % of a small rendition), so
// it is there only for those who have set a deadline.
base::Result<ImageHandle> with_interrupt_gate(VipsImage* image, const OperationControl& control) {
  if (!control.deadline.is_never()) return with_gate(image, control);
  // The image owns its switch, which ends with it.
  g_object_set_data_full(G_OBJECT(image), "optimux-kill-switch", new KillSwitch(image, control.stop),
                         delete_kill_switch);
  return share(image);
}

}  // namespace optimux::media
