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
  std::vector<Wanted> wanted = claim_outputs(input);
  if (wanted.empty()) return;
  if (const auto spec = spec_for(input, wanted)) {
    start_transfers(input, std::move(wanted), service_.open(*spec, base::Deadline::never()));
  } else {
    for (Wanted& size : wanted) fail(std::move(size.outcome), failure_of(spec.error(), input));
  }
}

// An output whose name is known beforehand is claimed before any work: what is to be skipped or refused costs nothing,
// and of two inputs with one name the first one given has it.
std::vector<Batch::Wanted> Batch::claim_outputs(const Input& input) {
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < spec_.sizes.size(); ++i) {
    Outcome outcome;
    outcome.input = input.name;
    outcome.size = plan_.size_text(i);
    const auto path = plan_.path_for(input, i);
    if (path) outcome.output = path->string();
    auto verdict = path ? plan_.claim(*path) : OutputPlan::Verdict::kWrite;
    if (!verdict) {
      fail(std::move(outcome), std::move(verdict).error());
    } else if (*verdict == OutputPlan::Verdict::kSkip) {
      outcome.kind = Outcome::Kind::kSkipped;
      hooks_.report(outcome);
    } else {
      wanted.push_back({i, std::move(outcome)});
    }
  }
  return wanted;
}

base::Result<service::TransformSpec> Batch::spec_for(const Input& input, const std::vector<Wanted>& wanted) const {
  // By assignment: g++ 12 takes the members of a designated initialiser for uninitialised at -O3.
  service::TransformSpec spec;
  spec.source.value = input.name;
  spec.render = spec_;
  spec.render.sizes.clear();
  for (const Wanted& size : wanted) spec.render.sizes.push_back(spec_.sizes[size.size_index]);
  if (input.kind != Input::Kind::kUrl) return spec;
  auto locator = source::parse_source_url(input.name);
  if (!locator) return base::fail(locator.error());
  spec.source = *std::move(locator);
  return spec;
}

void Batch::start_transfers(const Input& input, std::vector<Wanted> wanted,
                            std::vector<service::OpenedRendition> opened) {
  const auto item = items_.emplace(items_.end());
  item->open = wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    item->transfers.push_back(std::make_shared<Transfer>(std::move(opened[i]), input, wanted[i].size_index,
                                                         std::move(wanted[i].outcome), plan_, reactor_));
    item->transfers.back()->start([this, item](const Outcome& outcome) { take(item, outcome); });
  }
}

void Batch::take(Items::iterator item, const Outcome& outcome) {
  hooks_.report(outcome);
  if (--item->open > 0) return;
  items_.erase(item);
  start_more();
}

void Batch::fail(Outcome outcome, Failure failure) {
  outcome.kind = Outcome::Kind::kFailed;
  outcome.error = std::move(failure);
  hooks_.report(outcome);
}

}  // namespace optimux::apps
