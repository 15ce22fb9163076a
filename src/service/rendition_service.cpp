#include "service/rendition_service.hpp"

#include <algorithm>
#include <utility>

#include "service/cache_purge.hpp"
#include "service/job_context.hpp"
#include "service/render_job.hpp"

namespace optimux::service {

using std::chrono::seconds;

/// The entrance: looks in the cache, boards flights, and begins the jobs for what is missing.
class RenditionService::Core {
 public:
  Core(const ServiceLimits& limits, JobPool& pool, source::Source& source, media::Executor& executor,
       base::LogSink& log, std::vector<std::shared_ptr<RenditionTier>> tiers, std::shared_ptr<SourceDisk> source_disk)
      : context_(std::make_shared<JobContext>(limits, pool, source, executor, log, std::move(tiers),
                                              std::move(source_disk))) {}

  /// Opens the rendition of every key. `plan` says how to make them; its outputs, and its sizes unless it is a
  /// description, become those that are missing.
  std::vector<OpenedRendition> open(const std::vector<std::string>& keys, JobPlan plan, base::Deadline deadline);
  OpenedRendition open_one(std::string key, JobPlan plan, base::Deadline deadline);
  std::vector<OpenedRendition> open_fresh(const std::vector<std::string>& keys);
  void shut_down();
  ServiceFigures figures() const;
  JobContext& context() { return *context_; }
  const std::shared_ptr<JobContext>& shared_context() { return context_; }

 private:
  std::vector<OpenedRendition> open_cached(const std::vector<std::string>& keys);
  OpenedRendition open_kept(const std::string& key);
  void ask_source_behind(const std::vector<OpenedRendition>& opened, JobPlan plan);
  void count(const std::vector<OpenedRendition>& opened);

  const std::shared_ptr<JobContext> context_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> stale_ = 0;
  std::atomic<std::uint64_t> joined_ = 0;
};

namespace {

JobPlan plan_without_render(const source::SourceLocator& source, JobPlan::Product product, const std::string& via) {
  JobPlan plan;
  plan.source = source;
  plan.product = product;
  plan.via = via;
  return plan;
}

/// Leaves in `plan` what has to be made.
void keep_missing(JobPlan& plan, const FlightTable::Boarding& boarding) {
  std::vector<media::Size> sizes;
  for (const std::size_t index : boarding.missing) {
    plan.outputs.push_back(boarding.opened[index].rendition);
    if (plan.product == JobPlan::Product::kPictures) sizes.push_back(plan.render.sizes[index]);
  }
  if (plan.product == JobPlan::Product::kPictures) plan.render.sizes = std::move(sizes);
}

}  // namespace

std::vector<OpenedRendition> RenditionService::Core::open(const std::vector<std::string>& keys, JobPlan plan,
                                                          base::Deadline deadline) {
  auto opened = open_cached(keys);
  if (!opened.empty()) {
    ask_source_behind(opened, std::move(plan));
  } else {
    // Not make_shared: a finished rendition knows its job weakly, and would keep the job's memory for as long as it
    // lives.
    const std::shared_ptr<RenderJob> job(new RenderJob(context_));  // NOLINT(modernize-make-shared)
    auto boarding =
        context_->flights.board(keys, plan.via, deadline, job, context_->cache, plan.source.canonical().size());
    if (!boarding.missing.empty()) {
      keep_missing(plan, boarding);
      job->start(std::move(plan));
    }
    opened = std::move(boarding.opened);
  }
  count(opened);
  return opened;
}

OpenedRendition RenditionService::Core::open_one(std::string key, JobPlan plan, base::Deadline deadline) {
  return std::move(open({std::move(key)}, std::move(plan), deadline).front());
}

std::vector<OpenedRendition> RenditionService::Core::open_fresh(const std::vector<std::string>& keys) {
  std::vector<OpenedRendition> opened;
  opened.reserve(keys.size());
  for (const std::string& key : keys) {
    auto rendition = context_->cache.find(key);
    if (!rendition) return {};
    auto reader = rendition->body()->attach();
    opened.push_back({std::move(rendition), std::move(reader), CacheOutcome::kHit});
  }
  hits_ += opened.size();
  return opened;
}

/// All of them, or none: most requests are met here, without the table of flights.
std::vector<OpenedRendition> RenditionService::Core::open_cached(const std::vector<std::string>& keys) {
  std::vector<OpenedRendition> opened;
  for (const std::string& key : keys) {
    opened.push_back(open_kept(key));
    if (!opened.back().rendition) return {};
  }
  return opened;
}

/// One that is fresh, or stale and good enough for now; else one without a rendition.
OpenedRendition RenditionService::Core::open_kept(const std::string& key) {
  auto outcome = CacheOutcome::kHit;
  auto rendition = context_->cache.find(key);
  if (!rendition) {
    rendition = context_->cache.find_kept(key);
    if (!rendition || context_->freshness.of(*rendition) != Freshness::kRefreshable) return {};
    outcome = CacheOutcome::kStale;
  }
  auto reader = rendition->body()->attach();
  return {std::move(rendition), std::move(reader), outcome};
}

void RenditionService::Core::ask_source_behind(const std::vector<OpenedRendition>& opened, JobPlan plan) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::string> keys;
  std::vector<media::Size> sizes;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    if (opened[i].outcome != CacheOutcome::kStale || should_rest(*opened[i].rendition, now)) continue;
    keys.push_back(opened[i].rendition->key());
    if (plan.product == JobPlan::Product::kPictures) sizes.push_back(plan.render.sizes[i]);
  }
  if (keys.empty()) return;
  plan.render.sizes = std::move(sizes);
  RenderJob::begin_behind(context_, keys, std::move(plan));
}

void RenditionService::Core::count(const std::vector<OpenedRendition>& opened) {
  for (const OpenedRendition& rendition : opened) {
    if (rendition.outcome == CacheOutcome::kHit) ++hits_;
    if (rendition.outcome == CacheOutcome::kStale) ++stale_;
    if (rendition.outcome == CacheOutcome::kJoined) ++joined_;
  }
}

void RenditionService::Core::shut_down() {
  context_->is_draining = true;
  const base::Error error{base::ErrorCode::kShuttingDown, "the server is shutting down", {}};
  for (const auto& flight : context_->flights.open_flights()) flight->end(error);
  context_->fetches->close();
  context_->deadlines.stop();
  context_->activities->wait_until_empty();
}

ServiceFigures RenditionService::Core::figures() const {
  const auto fetches = context_->fetches->figures();
  const auto cache = context_->cache.figures();
  ServiceFigures figures;
  figures.cache_hits = hits_;
  figures.cache_misses = context_->counters.misses;
  figures.stale = stale_ + context_->counters.stale;
  figures.revalidated = context_->counters.revalidated;
  figures.joined = joined_;
  figures.fetches = fetches.started;
  figures.fetches_joined = fetches.joined;
  figures.source_cache_hits = fetches.hits;
  figures.source_cache_disk_hits = fetches.disk_hits;
  figures.source_cache_confirmed = fetches.confirmed;
  figures.source_cache_misses = fetches.whole;
  const auto kept_sources = context_->kept_sources->figures();
  figures.source_cache_evictions = kept_sources.evictions;
  figures.source_cache_bytes = kept_sources.bytes;
  figures.source_cache_entries = kept_sources.entries;
  if (context_->source_disk) figures.source_disk = context_->source_disk->figures();
  figures.negative_cache_hits = context_->failures.hits();
  figures.renders = context_->counters.renders;
  figures.refused = context_->counters.refused;
  figures.cancelled = context_->counters.cancelled;
  figures.evictions = cache.evictions;
  figures.cache_bytes = cache.bytes;
  figures.cache_entries = cache.entries;
  figures.decoded_bytes_in_use = context_->budget->in_use();
  figures.source_bytes_in_use = context_->sources->in_use();
  figures.memory_limit = context_->memory.limit();
  figures.in_flight = context_->flights.size();
  figures.tiers = context_->tiers.figures();
  return figures;
}

RenditionService::RenditionService(const ServiceLimits& limits, JobPool& pool, source::Source& source,
                                   media::Executor& executor, base::LogSink& log,
                                   std::vector<std::shared_ptr<RenditionTier>> tiers,
                                   std::shared_ptr<SourceDisk> source_disk)
    : core_(std::make_shared<Core>(limits, pool, source, executor, log, std::move(tiers), std::move(source_disk))) {}

RenditionService::~RenditionService() {
  core_->shut_down();
}

std::vector<OpenedRendition> RenditionService::open(const TransformSpec& spec, base::Deadline deadline,
                                                    const std::string& via) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < spec.render.sizes.size(); ++i) keys.push_back(rendition_key(spec, i));
  JobPlan plan;
  plan.source = spec.source;
  plan.render = canonical(spec.render);
  plan.via = via;
  return core_->open(keys, std::move(plan), deadline);
}

std::vector<OpenedRendition> RenditionService::open_fresh(const std::vector<std::string>& keys) {
  return core_->open_fresh(keys);
}

OpenedRendition RenditionService::open_info(const source::SourceLocator& source, base::Deadline deadline,
                                            const std::string& via) {
  return core_->open_one(info_key(source), plan_without_render(source, JobPlan::Product::kDescription, via), deadline);
}

OpenedRendition RenditionService::open_original(const source::SourceLocator& source, base::Deadline deadline,
                                                const std::string& via) {
  return core_->open_one(original_key(source), plan_without_render(source, JobPlan::Product::kOriginal, via), deadline);
}

void RenditionService::purge(const std::vector<TransformSpec>& specs, Purged purged) {
  PurgeOrder order;
  for (const TransformSpec& spec : specs) {
    order.source = spec.source.canonical();
    for (std::size_t i = 0; i < spec.render.sizes.size(); ++i) order.keys.push_back(rendition_key(spec, i));
  }
  service::purge(core_->shared_context(), order, std::move(purged));
}

void RenditionService::purge_info(const source::SourceLocator& source, Purged purged) {
  service::purge(core_->shared_context(), {source.canonical(), {info_key(source), original_key(source)}},
                 std::move(purged));
}

void RenditionService::purge_source(const source::SourceLocator& source, Purged purged) {
  service::purge(core_->shared_context(), {source.canonical(), {}}, std::move(purged));
}

void RenditionService::purge_all(Purged purged) {
  service::purge(core_->shared_context(), {}, std::move(purged));
}

void RenditionService::drain() {
  core_->context().is_draining = true;
}

void RenditionService::set_limits(const ServiceLimits& limits) {
  core_->context().cache.set_capacity(limits.memory_cache_bytes);
  core_->context().cache.set_lifetime(limits.cache_time);
  core_->context().freshness.set(limits.freshness());
  core_->context().tier_patience = limits.cache_timeout;
  core_->context().budget->set_total(limits.decoded_bytes);
  core_->context().sources->set_total(limits.source_bytes);
  core_->context().kept_sources->set_capacity(limits.source_cache_bytes);
  core_->context().kept_sources->set_lifetime(limits.source_cache_time);
  core_->context().failures.set_time(limits.negative_cache);
  core_->context().memory.set_limit(limits.memory_limit);
}

seconds RenditionService::retry_after() const {
  return std::max(seconds(1), std::chrono::ceil<seconds>(core_->context().pool.expected_wait()));
}

bool RenditionService::is_short_of_memory() const {
  return core_->context().memory.look(base::Deadline::Clock::now()).level == MemoryWatch::Level::kCritical;
}

ServiceFigures RenditionService::figures() const {
  return core_->figures();
}

}  // namespace optimux::service
