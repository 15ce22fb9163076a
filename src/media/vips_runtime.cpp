#include <glib.h>
#include <vips/vips.h>

#include "media/executor.hpp"
#include "media/vector_code_guard.hpp"
#include "media/vips_error.hpp"

namespace optimux::media {
namespace {

void discard(const char* /*domain*/, GLogLevelFlags /*level*/, const char* /*message*/, void* /*data*/) {}

}  // namespace

base::Status initialise_media(const char* program_name) {
  if (vips_init(program_name) != 0) return base::fail(take_vips_error(base::ErrorCode::kInternal));
  // Warnings about odd sources would fill stderr; what makes a render fail comes through the error buffer.
  const auto quiet = static_cast<GLogLevelFlags>(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO);
  g_log_set_handler("VIPS", quiet, discard, nullptr);
  guard_vector_code();
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
  vips_block_untrusted_set(TRUE);
  return {};
}

void release_thread_resources() {
  // Its types are known once libvips has started, and before that its thread data must not be touched.
  if (g_type_from_name("VipsImage") != 0) vips_thread_shutdown();
}

}  // namespace optimux::media
