#include "apps/optimux/pool/shapes/stages.hpp"

#include "apps/optimux/pool/file_text.hpp"
#include "apps/optimux/pool/sweep/job_body.hpp"
#include "base/byte_buffer.hpp"

#include <chrono>
#include <span>
#include <thread>

namespace optimux::apps {
namespace {

media::SourceBuffer to_buffer(const std::string& text) {
  return std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text)));
}

void fetch_file(Request& request, const std::string& file, double delay) {
  std::this_thread::sleep_for(std::chrono::duration<double>(delay));
  auto text = read_text(file);
  if (!text) return request.fail(text.error());
  request.source = std::make_shared<media::SourceBuffer>(to_buffer(*text));
}

// The head alone is no bytes; the reader is woken by the first of them, in the thread that renders.
void render(Request& request, const media::RenderSpec& spec, media::Executor& executor) {
  const auto output = std::make_shared<base::SharedBody>();
  auto reader = output->attach();
  reader.acknowledge_head();
  if (!reader.wait([&request] { request.note_first_bytes(); })) request.note_first_bytes();
  const auto source = *std::static_pointer_cast<media::SourceBuffer>(request.source);
  const std::vector<std::shared_ptr<base::SharedBody>> outputs = {output};
  const auto report = executor.render(source, spec, outputs, {});
  if (!report) request.fail(report.error());
  media::release_thread_resources();  // Shapes know nothing of pictures, so none of their threads would do it at its
                                      // end.
}

bool is_made_up(const JobSpec& spec) {
  return !std::holds_alternative<ExecJob>(spec) && !std::holds_alternative<UrlJob>(spec);
}

}  // namespace

base::Result<Stages> made_up_stages(const JobSpec& fetch, const JobSpec& process) {
  if (!is_made_up(fetch) || !is_made_up(process)) {
    return base::fail(base::ErrorCode::kInvalidParameter, "--fetch and --process take burn:, sleep: or mixed:");
  }
  const JobBody fetches = make_job(fetch, {})();
  const JobBody processes = make_job(process, {})();
  return Stages{[fetches](Request&) { fetches(); }, [processes](Request&) { processes(); }};
}

base::Result<Stages> image_stages(const std::string& file, double delay, const media::RenderSpec& spec,
                                  media::Executor& executor) {
  if (const auto text = read_text(file); !text) return base::fail(text.error());
  return Stages{[file, delay](Request& request) { fetch_file(request, file, delay); },
                [spec, &executor](Request& request) { render(request, spec, executor); }};
}

}  // namespace optimux::apps
