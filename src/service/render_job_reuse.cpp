// The parts of a RenderJob that use finished renditions again: those of the tiers, and those whose source has not
// changed or has failed.

#include <algorithm>
#include <atomic>
#include <cassert>
#include <iterator>
#include <optional>
#include <utility>

#include "service/cache_purge.hpp"
#include "service/freshness.hpp"
#include "service/render_job.hpp"
#include "service/rendition_record.hpp"
#include "service/source_part.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using Clock = base::Deadline::Clock;

/// A job that nobody waits for gets no more time than a request by default.
constexpr std::chrono::seconds kTimeBehind{15};

/// What says nothing of the source itself: unreachable, out of order, too slow.
bool is_passing_failure(ErrorCode code) {
  return code == ErrorCode::kOriginFailed || code == ErrorCode::kOriginTimeout;
}

/// What says that the source is not there, or is not ours to give any more.
bool is_gone(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kForbiddenSource;
}

/// What its origin had said of the source when the rendition was made.
source::SourceFacts known_source(const RenditionFacts& facts) {
  return {facts.last_modified, facts.source_etag, facts.cache_control, facts.source_place};
}

std::string key_of(const std::shared_ptr<Rendition>& rendition) {
  return rendition->key();
}

}  // namespace

void RenderJob::Work::remove_size(std::size_t index) {
  const auto place = static_cast<std::ptrdiff_t>(index);
  outputs.erase(outputs.begin() + place);
  older.erase(older.begin() + place);
  // A description has no size of its own.
  if (index < render.sizes.size()) render.sizes.erase(render.sizes.begin() + place);
}

void RenderJob::search() {
  // Whoever comes first goes on: the tiers, or the end of patience with them. A disk that hangs must hold up nobody.
  const auto is_over = std::make_shared<std::atomic<bool>>(false);
  if (!context_->tiers.empty()) {
    const auto lose_patience = [weak = weak_from_this(), is_over] {
      const auto job = weak.lock();
      if (job && !is_over->exchange(true)) job->searched(std::vector<FoundRendition>(job->plan_.outputs.size()));
    };
    const auto id = context_->deadlines.add(base::Deadline::after(context_->tier_patience.load()), lose_patience);
    base::MutexLock lock(mutex_);
    held_.patience = id;
  }
  find_finished(plan_.outputs, context_->cache, context_->tiers,
                [self = shared_from_this(), is_over](const std::vector<FoundRendition>& found) {
                  if (!is_over->exchange(true)) self->searched(found);
                });
}

void RenderJob::stop_patience() {
  DeadlineWatch::Id id = 0;
  {
    base::MutexLock lock(mutex_);
    id = std::exchange(held_.patience, 0);
  }
  context_->deadlines.remove(id);
}

void RenderJob::searched(const std::vector<FoundRendition>& found) {
  const auto pass = context_->activities->enter();
  if (has_ended()) return;  // asked after entering: a tier may answer when the service has gone
  stop_patience();
  std::vector<std::shared_ptr<Rendition>> stale;
  work_.render = plan_.render;
  for (std::size_t i = 0; i < found.size(); ++i) {
    work_.outputs.push_back(plan_.outputs[i]);
    work_.older.push_back(found[i].rendition);
    if (!take_if_allowed(plan_.outputs[i], found[i])) continue;
    if (plan_.outputs[i]->found_as() == CacheOutcome::kStale) stale.push_back(plan_.outputs[i]);
    work_.remove_size(work_.outputs.size() - 1);
  }
  if (!plan_.is_behind) context_->counters.misses += work_.outputs.size();
  if (work_.outputs.empty()) {
    close();
    return ask_source_behind(std::move(stale));
  }
  const auto admission = judge([this](base::Deadline deadline) { return admit_to_source(deadline); });
  if (!admission) return end(admission.error());
  fetch();
}

/// Whether the output is complete now.
bool RenderJob::take_if_allowed(const std::shared_ptr<Rendition>& output, const FoundRendition& found) {
  if (!found.rendition) return false;
  switch (context_->freshness.of(*found.rendition)) {
    case Freshness::kFresh: take(output, *found.rendition, found.outcome); return true;
    case Freshness::kRefreshable:
      if (plan_.is_behind) return false;
      take(output, *found.rendition, CacheOutcome::kStale);
      return true;
    case Freshness::kFallback:
    case Freshness::kStale: return false;
  }
  return false;
}

void RenderJob::take(const std::shared_ptr<Rendition>& output, const Rendition& found, CacheOutcome outcome) {
  if (outcome == CacheOutcome::kStale && !plan_.is_behind) ++context_->counters.stale;
  if (outcome == CacheOutcome::kRevalidated) ++context_->counters.revalidated;
  output->set_found_as(outcome);
  copy_rendition(found, *output);
  keep_in_memory(output);
}

void RenderJob::keep_in_memory(const std::shared_ptr<Rendition>& output) const {
  if (output->body()->state() != base::SharedBody::State::kComplete) return;  // The job has ended meanwhile.
  if (!output->is_revoked()) context_->cache.insert(output);
  // Purged meanwhile, and perhaps before it was there to be found.
  if (output->is_revoked()) context_->cache.erase_if([&](const Rendition& kept) { return &kept == output.get(); });
}

void RenderJob::ask_source_behind(std::vector<std::shared_ptr<Rendition>> stale) const {
  std::erase_if(stale, [](const auto& rendition) { return should_rest(*rendition, Clock::now()); });
  if (stale.empty()) return;
  std::vector<std::string> keys;
  std::transform(stale.begin(), stale.end(), std::back_inserter(keys), key_of);
  JobPlan plan = plan_;
  plan.render.sizes.clear();
  for (std::size_t i = 0; i < plan_.outputs.size() && plan_.product == JobPlan::Product::kPictures; ++i) {
    const bool is_stale = std::find(stale.begin(), stale.end(), plan_.outputs[i]) != stale.end();
    if (is_stale) plan.render.sizes.push_back(plan_.render.sizes[i]);
  }
  begin_behind(context_, keys, std::move(plan));
}

void RenderJob::begin_behind(const std::shared_ptr<JobContext>& context, const std::vector<std::string>& keys,
                             JobPlan plan) {
  const auto is_open = [&](const std::string& key) { return context->flights.is_open(key, plan.via); };
  if (context->is_draining || std::any_of(keys.begin(), keys.end(), is_open)) return;
  const std::shared_ptr<RenderJob> job(new RenderJob(context));  // NOLINT(modernize-make-shared): as in the service
  plan.is_behind = true;
  plan.outputs.clear();
  // Boarded past the memory, which has them already.
  MemoryCache nothing(0);
  auto boarding = context->flights.board(keys, plan.via, base::Deadline::after(kTimeBehind), job, nothing,
                                         plan.source.canonical().size());
  std::vector<media::Size> sizes;
  for (const std::size_t index : boarding.missing) {
    plan.outputs.push_back(boarding.opened[index].rendition);
    if (plan.product == JobPlan::Product::kPictures) sizes.push_back(plan.render.sizes[index]);
  }
  if (plan.outputs.empty()) return;
  plan.render.sizes = std::move(sizes);
  job->start(std::move(plan));
}

/// Whether nothing is left to be done: the source has failed, and there is something for every reader all the same.
bool RenderJob::give_stale(const base::Error& error) {
  if (!is_passing_failure(error.code)) return false;
  const auto now = Clock::now();
  const auto limits = context_->freshness.limits();
  for (std::size_t i = work_.outputs.size(); i-- > 0;) {
    const auto& older = work_.older[i];
    if (!older) continue;
    older->set_source_failed_at(now);
    if (freshness_of(*older, limits, now) == Freshness::kStale) continue;
    take(work_.outputs[i], *older, CacheOutcome::kStale);
    work_.remove_size(i);
  }
  if (!work_.outputs.empty()) return false;
  close();
  return true;
}

/// What the older renditions were made from, in its origin's words. Nothing if that is not one state of the source, or
/// if one of them has to be made in any case: then its bytes are needed.
source::SourceValidators RenderJob::state_of_older() const {
  std::optional<RenditionFacts> known;
  for (const auto& older : work_.older) {
    if (!older) return {};
    RenditionFacts facts = older->facts();
    if (known && known->source_fingerprint != facts.source_fingerprint) return {};
    known = std::move(facts);
  }
  return known ? known_source(*known).validators() : source::SourceValidators{};
}

/// The source is in the state that the older renditions were made from: its bytes were not even sent.
void RenderJob::confirmed(const source::SourceFacts& confirmation) {
  const auto pass = context_->activities->enter();
  const RenditionFacts older = work_.older.front()->facts();
  {
    base::MutexLock lock(mutex_);
    if (has_ended_) return;
    note_source(known_source(older).confirmed_by(confirmation));
  }
  [[maybe_unused]] const bool is_all = reuse_unchanged(older.source_fingerprint);
  assert(is_all && "the origin was asked about what all of them were made from");
}

/// Whether nothing is left to be done: the source is the one that all renditions were made from.
bool RenderJob::reuse_unchanged(const std::string& source_fingerprint) {
  RenditionFacts current;
  RenditionTimings timings;
  {
    base::MutexLock lock(mutex_);
    current = facts_;
    timings = timings_;
  }
  current.source_fingerprint = source_fingerprint;
  for (std::size_t i = work_.outputs.size(); i-- > 0;) {
    const auto older = work_.older[i];
    if (!older || older->facts().source_fingerprint != source_fingerprint) continue;
    current.etag = older->facts().etag;
    work_.outputs[i]->set_timings(timings);
    reuse(work_.outputs[i], *older, current);
    work_.remove_size(i);
  }
  if (!work_.outputs.empty()) return false;
  close();
  return true;
}

void RenderJob::reuse(const std::shared_ptr<Rendition>& output, Rendition& older, const RenditionFacts& current) {
  const bool has_same_facts = older.facts() == current;
  older.set_facts(current);
  older.set_validated_at(Clock::now());
  take(output, older, CacheOutcome::kRevalidated);
  if (forbids_keeping(current.cache_control)) {
    context_->cache.erase_if([&](const Rendition& kept) { return kept.key() == output->key(); });
    return context_->tiers.erase(output->key(), std::string(output->source()), [](const base::Status&) {});
  }
  // What the origin says of it may have changed while its bytes have not.
  has_same_facts ? context_->tiers.renew(output) : context_->tiers.insert(output);
}

/// A source that is gone takes with it what was made of it: nobody is to get that any more, not even when its origin
/// fails later. Whoever hears that it is gone can rely on that.
void RenderJob::end_without_source(const base::Error& error) {
  const bool knows_it = std::any_of(work_.older.begin(), work_.older.end(), [](const auto& older) { return older; });
  if (!is_gone(error.code) || !knows_it) return end_by_source(error);
  purge(context_, {plan_.source.canonical(), {}},
        [self = shared_from_this(), error](const base::Status&) { self->end_by_source(error); });
}

/// Ends for what the source did or is, which is remembered: by the job that has found it out, and by none that was
/// refused for that.
void RenderJob::end_by_source(const base::Error& error) {
  const auto pass = context_->activities->enter();
  if (has_ended()) return;
  note_failure(error);
  end(error);
}

/// Bytes that are no picture are of no use to anybody; the next ones may be.
void RenderJob::note_failure(const base::Error& error) const {
  const bool is_no_picture =
      error.code == base::ErrorCode::kUnsupportedMedia || error.code == base::ErrorCode::kBrokenMedia;
  if (is_no_picture) context_->fetches->forget(plan_.source.canonical());
  const std::string part = is_readable_ ? source_part(plan_) : std::string();
  context_->failures.remember(plan_.source, error, base::Deadline::Clock::now(), part);
}

}  // namespace optimux::service
