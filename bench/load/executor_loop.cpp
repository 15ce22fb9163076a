// The media layer without the server around it: the same loop as bare_vips, through `media::Executor`. What lies
// between the two is the price of the media layer; what lies between this and the server is the price of everything
// else.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/shared_body.hpp"
#include "load/work_loop.hpp"
#include "media/executor.hpp"

namespace optimux::bench {
namespace {

media::RenderSpec spec_of(const WorkLoopOptions& options) {
  media::RenderSpec spec;
  spec.sizes = {media::Size{.width = options.width, .height = 0}};
  spec.format = options.format == "webp" ? media::Format::kWebp : media::Format::kJpeg;
  spec.quality = options.quality;
  return spec;
}

std::size_t render(media::Executor& executor, const media::RenderSpec& spec, const std::string& file) {
  const auto source = std::make_shared<const base::ByteBuffer>(read_file(file));
  const std::vector<std::shared_ptr<base::SharedBody>> outputs = {std::make_shared<base::SharedBody>()};
  const auto report = executor.render(source, spec, outputs, media::OperationControl{});
  if (report) return outputs.front()->size();
  std::fprintf(stderr, "%s: %s (%s)\n", file.c_str(), report.error().detail.c_str(), report.error().cause.c_str());
  return 0;
}

int run(int argc, char** argv) {
  int exit_code = 0;
  const auto options = read_work_loop_options(argc, argv, "Renders pictures with the media layer alone", exit_code);
  if (!options) return exit_code;
  if (options->decode != "shrink") {
    std::fputs("the media layer always shrinks while it loads\n", stderr);
    return 2;
  }
  if (!media::initialise_media(argv[0])) return 1;
  const auto executor = media::make_in_process_executor(media::MediaLimits{});
  const media::RenderSpec spec = spec_of(*options);
  return run_work_loop(*options, [&](const std::string& file) { return render(*executor, spec, file); });
}

}  // namespace
}  // namespace optimux::bench

int main(int argc, char** argv) {
  return optimux::bench::run(argc, argv);
}
