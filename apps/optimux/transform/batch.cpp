#include "apps/optimux/transform/batch.hpp"

#include "base/deadline.hpp"

#include <algorithm>
#include <utility>

namespace optimux::apps {

Batch::Batch(std::vector<Input> inputs, const media::RenderSpec& spec, std::size_t parallel, OutputPlan& plan,
             service::RenditionService& service, source::Reactor& reactor, Hooks hooks)
    : inputs_(std::move(inputs)),
      spec_(spec),
      parallel_(parallel),
      plan_(plan),
      service_(service),
      reactor_(reactor),
      hooks_(std::move(hooks)) {}

void Batch::start() {
  start_more();
}

void Batch::cancel() {
  next_ = inputs_.size();
  has_finished_ = true;
  items_.clear();
}

void Batch::start_more() {
  while (items_.size() < parallel_ && next_ < inputs_.size()) start_item(inputs_[next_++]);
  if (!items_.empty() || has_finished_) return;
  has_finished_ = true;
  hooks_.finished();
}

void Batch::start_item(const Input& input) {
  const std::vector<std::size_t> sizes = wanted_sizes(input);
  if (sizes.empty()) return;
  const auto spec = spec_for(input, sizes);
  if (!spec) return report_all(input, sizes, spec.error());
  start_transfers(input, sizes, service_.open(*spec, base::Deadline::never()));
}

// A name that is known beforehand spares the work for what would be skipped.
std::vector<std::size_t> Batch::wanted_sizes(const Input& input) {
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < spec_.sizes.size(); ++i) {
    const auto path = plan_.path_for(input, i);
    if (!path || !plan_.would_skip(*path)) {
      wanted.push_back(i);
      continue;
    }
    Outcome outcome = make_outcome(input, i);
    outcome.kind = Outcome::Kind::kSkipped;
    outcome.output = path->string();
    hooks_.report(outcome);
  }
  return wanted;
}

base::Result<service::TransformSpec> Batch::spec_for(const Input& input, const std::vector<std::size_t>& sizes) const {
  service::TransformSpec spec{.source = {source::SourceLocator::Kind::kFile, input.name}, .render = spec_};
  spec.render.sizes.clear();
  for (const std::size_t i : sizes) spec.render.sizes.push_back(spec_.sizes[i]);
  if (input.kind != Input::Kind::kUrl) return spec;
  auto locator = source::parse_source_url(input.name);
  if (!locator) return base::fail(locator.error());
  spec.source = *std::move(locator);
  return spec;
}

void Batch::start_transfers(const Input& input, const std::vector<std::size_t>& sizes,
                            std::vector<service::OpenedRendition> opened) {
  const auto item = items_.emplace(items_.end());
  item->open = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    item->transfers.push_back(std::make_shared<Transfer>(std::move(opened[i]), input, sizes[i], plan_, reactor_));
    item->transfers.back()->start([this, item](const Outcome& outcome) { take(item, outcome); });
  }
}

void Batch::take(Items::iterator item, const Outcome& outcome) {
  hooks_.report(outcome);
  if (--item->open > 0) return;
  items_.erase(item);
  start_more();
}

void Batch::report_all(const Input& input, const std::vector<std::size_t>& sizes, const base::Error& error) {
  for (const std::size_t i : sizes) {
    Outcome outcome = make_outcome(input, i);
    outcome.error = error;
    hooks_.report(outcome);
  }
}

Outcome Batch::make_outcome(const Input& input, std::size_t size_index) const {
  Outcome outcome;
  outcome.input = input.name;
  outcome.size = plan_.size_text(size_index);
  return outcome;
}

}  // namespace optimux::apps
