// What a render job makes of its source, by the product that is wanted.
#include <cassert>
#include <utility>

#include "service/elapsed.hpp"
#include "service/info_document.hpp"
#include "service/render_job.hpp"

namespace optimux::service {
namespace {

using base::fail;
using Clock = base::Deadline::Clock;

std::vector<std::shared_ptr<base::SharedBody>> bodies_of(const std::vector<std::shared_ptr<Rendition>>& outputs) {
  std::vector<std::shared_ptr<base::SharedBody>> bodies;
  bodies.reserve(outputs.size());
  for (const auto& output : outputs) bodies.push_back(output->body());
  return bodies;
}

}  // namespace

base::Result<media::RenderReport> RenderJob::produce(const media::SourceBuffer& source,
                                                     const media::OperationControl& control) {
  switch (plan_.product) {
    case JobPlan::Product::kDescription: return describe(source, control);
    case JobPlan::Product::kOriginal: return hand_on(source, control);
    case JobPlan::Product::kPictures: break;
  }
  return context_->executor.render(source, work_.render, bodies_of(work_.outputs), control);
}

/// What the header says has to hold for an original too: nothing is handed on that is not the picture that it claims to
/// be, and its type is that of its bytes, whatever the origin called it.
media::RenderReport RenderJob::hand_on(const media::SourceBuffer& source, const media::OperationControl& control) {
  assert(work_.info && "only what has been inspected is handed on");
  const media::ImageInfo& info = *work_.info;
  base::SharedBody& body = *work_.outputs.front()->body();
  const media::RenderReport report{info.format, {}, {}};
  control.on_progress(report);
  body.start({std::string(media::content_type_of(info.format)), info.width, info.height, info.pages});
  body.adopt(source);
  body.complete();
  return report;
}

base::Result<media::RenderReport> RenderJob::describe(const media::SourceBuffer& source,
                                                      const media::OperationControl& control) {
  const auto begin = Clock::now();
  const auto info = context_->executor.inspect_with_blur_hash(source, control);
  if (!info) return fail(info.error());
  const std::string document = info_document(*info);
  base::SharedBody& body = *work_.outputs.front()->body();
  const media::RenderReport report{info->format, since(begin), {}};
  control.on_progress(report);
  body.start({"application/json", 0, 0, 1});
  body.append(std::as_bytes(std::span(document)));
  body.complete();
  return report;
}

}  // namespace optimux::service
