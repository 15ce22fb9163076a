// The floor under the server's cost: a loop that calls libvips, and nothing else, in as many threads as it is told.
//   --decode shrink        vips_thumbnail_buffer: the loader's own shrink, then the rest by Lanczos, as libvips advises
//   --decode full          all pixels are decoded to memory, then vips_resize (box filter by whole factors, then
//   Lanczos)
//   --decode full-lanczos  all pixels are decoded to memory, then one Lanczos over all of them
// Colours are not converted, so sources with an embedded profile are refused: the server would do more for them.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <vips/vips.h>

#include "load/work_loop.hpp"

namespace optimux::bench {
namespace {

struct Unref {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
using Image = std::unique_ptr<VipsImage, Unref>;

struct FreeBuffer {
  void operator()(void* buffer) const { g_free(buffer); }
};

Image shrink_on_load(std::vector<std::byte>& source, const WorkLoopOptions& options) {
  VipsImage* result = nullptr;
  vips_thumbnail_buffer(source.data(), source.size(), &result, options.width, "height", VIPS_MAX_COORD, "size",
                        VIPS_SIZE_DOWN, "fail_on", VIPS_FAIL_ON_ERROR, nullptr);
  return Image(result);
}

Image decode_all(std::vector<std::byte>& source) {
  VipsImage* lazy = nullptr;
  if (vips_jpegload_buffer(source.data(), source.size(), &lazy, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                           VIPS_FAIL_ON_ERROR, nullptr) != 0) {
    return nullptr;
  }
  const Image owner(lazy);
  VipsImage* upright = nullptr;
  if (vips_autorot(lazy, &upright, nullptr) != 0) return nullptr;
  const Image upright_owner(upright);
  return Image(vips_image_copy_memory(upright));
}

Image full_decode(std::vector<std::byte>& source, const WorkLoopOptions& options) {
  const Image whole = decode_all(source);
  if (!whole) return nullptr;
  const double scale = static_cast<double>(options.width) / vips_image_get_width(whole.get());
  VipsImage* result = nullptr;
  if (options.decode == "full") {
    vips_resize(whole.get(), &result, scale, nullptr);
  } else {
    vips_reduce(whole.get(), &result, 1 / scale, 1 / scale, nullptr);
  }
  return Image(result);
}

std::size_t encode(VipsImage* image, const WorkLoopOptions& options) {
  void* buffer = nullptr;
  std::size_t length = 0;
  if (options.format == "webp") {
    vips_webpsave_buffer(image, &buffer, &length, "Q", options.quality, "effort", 4, "strip", TRUE, nullptr);
  } else {
    vips_jpegsave_buffer(image, &buffer, &length, "Q", options.quality, "strip", TRUE, nullptr);
  }
  const std::unique_ptr<void, FreeBuffer> owner(buffer);
  return length;
}

std::size_t render(const std::string& file, const WorkLoopOptions& options) {
  std::vector<std::byte> source = read_file(file);
  const Image image = options.decode == "shrink" ? shrink_on_load(source, options) : full_decode(source, options);
  if (image && vips_image_get_typeof(image.get(), VIPS_META_ICC_NAME) != 0) {
    std::fprintf(stderr, "%s: has a colour profile\n", file.c_str());
    return 0;
  }
  const std::size_t length = image ? encode(image.get(), options) : 0;
  if (length == 0) std::fprintf(stderr, "%s: %s\n", file.c_str(), vips_error_buffer());
  return length;
}

int run(int argc, char** argv) {
  int exit_code = 0;
  const auto options = read_work_loop_options(argc, argv, "Renders pictures with libvips alone", exit_code);
  if (!options) return exit_code;
  if (VIPS_INIT(argv[0]) != 0) return 1;
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  exit_code = run_work_loop(*options, [&options](const std::string& file) { return render(file, *options); });
  vips_shutdown();
  return exit_code;
}

}  // namespace
}  // namespace optimux::bench

int main(int argc, char** argv) {
  return optimux::bench::run(argc, argv);
}
