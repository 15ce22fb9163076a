#include <cassert>

#include "media/blur_hash.hpp"
#include "media/executor.hpp"
#include "media/image_pipeline.hpp"
#include "media/inspect.hpp"
#include "media/interrupt.hpp"
#include "media/memory_estimate.hpp"

namespace optimux::media {
namespace {

class InProcessExecutor final : public Executor {
 public:
  explicit InProcessExecutor(const MediaLimits& limits) : limits_(limits) {}

  base::Result<ImageInfo> inspect(const SourceBuffer& source, const OperationControl& control) override {
    if (const auto may_go_on = check_interrupt(control); !may_go_on) return base::fail(may_go_on.error());
    return inspect_image(*source, limits_);
  }

  base::Result<ImageInfo> inspect_with_blur_hash(const SourceBuffer& source, const OperationControl& control) override {
    auto info = inspect(source, control);
    if (!info) return info;
    auto hash = blur_hash_of(source, limits_, control);
    if (!hash) return base::fail(hash.error());
    info->blur_hash = std::move(*hash);
    return info;
  }

  std::uint64_t estimate_memory(const ImageInfo& info, const RenderSpec& spec) const override {
    return estimate_render_memory(info, spec, limits_);
  }

  base::Result<RenderReport> render(const SourceBuffer& source, const RenderSpec& spec,
                                    std::span<const std::shared_ptr<base::SharedBody>> outputs,
                                    const OperationControl& control) override {
    assert(outputs.size() == spec.sizes.size() && "one body for every size");
    auto report = render_image(source, spec, limits_, outputs, control);
    if (!report) {
      for (const auto& output : outputs) output->fail(report.error());
    }
    return report;
  }

 private:
  const MediaLimits limits_;
};

}  // namespace

std::unique_ptr<Executor> make_in_process_executor(const MediaLimits& limits) {
  return std::make_unique<InProcessExecutor>(limits);
}

}  // namespace optimux::media
