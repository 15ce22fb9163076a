#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "media/executor.hpp"
#include "service/activity_gate.hpp"
#include "service/deadline_watch.hpp"
#include "service/decode_budget.hpp"
#include "service/failure_memory.hpp"
#include "service/fetch_table.hpp"
#include "service/flight_table.hpp"
#include "service/freshness.hpp"
#include "service/job_pool.hpp"
#include "service/memory_cache.hpp"
#include "service/memory_watch.hpp"
#include "service/rendition_service.hpp"
#include "service/source_cache.hpp"
#include "service/source_memory.hpp"
#include "service/tier_stack.hpp"

namespace optimux::service {

/// Counts that no room keeps for itself. Each may be read and written by any thread.
struct JobCounters {
  std::atomic<std::uint64_t> misses = 0;
  std::atomic<std::uint64_t> stale = 0;
  std::atomic<std::uint64_t> revalidated = 0;
  std::atomic<std::uint64_t> renders = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> cancelled = 0;
};

/// The rooms that a render job passes through, shared by all jobs of a service and alive for as long as one of them is.
/// Pool, source, executor and log belong to somebody else; after the service has gone no job calls them any more.
struct JobContext {
  JobContext(const ServiceLimits& limits, JobPool& image_pool, source::Source& source, media::Executor& media_executor,
             base::LogSink& log_sink, std::vector<std::shared_ptr<RenditionTier>> lower_tiers,
             std::shared_ptr<SourceDisk> disk_of_sources)
      : pool(image_pool),
        executor(media_executor),
        log(log_sink),
        freshness(limits.freshness()),
        cache(limits.memory_cache_bytes, limits.cache_time),
        tiers(std::move(lower_tiers)),
        tier_patience(limits.cache_timeout),
        kept_sources(std::make_shared<SourceCache>(limits.source_cache_bytes, limits.source_cache_time)),
        source_disk(std::move(disk_of_sources)),
        fetches(std::make_shared<FetchTable>(source, kept_sources, source_disk,
                                             [this](std::function<void()> task) {
                                               deadlines.add(base::Deadline::after(tier_patience.load()),
                                                             std::move(task));
                                             })),
        sources(std::make_shared<SourceMemory>(limits.source_bytes)),
        budget(std::make_shared<DecodeBudget>(limits.decoded_bytes)),
        failures(limits.negative_cache, source.has_local_files()),
        memory(limits.memory_limit) {}

  /// Drops half of what is kept in memory, once.
  void halve_caches() {
    cache.halve();
    kept_sources->halve();
  }

  JobPool& pool;
  media::Executor& executor;
  base::LogSink& log;
  FreshnessRule freshness;
  MemoryCache cache;
  const TierStack tiers;
  std::atomic<std::chrono::milliseconds> tier_patience;  ///< After it a tier that has not answered is a miss.
  FlightTable flights;
  const std::shared_ptr<SourceCache> kept_sources;
  const std::shared_ptr<SourceDisk> source_disk;  ///< Null: there is none.
  const std::shared_ptr<FetchTable> fetches;
  const std::shared_ptr<SourceMemory> sources;
  const std::shared_ptr<DecodeBudget> budget;
  FailureMemory failures;
  MemoryWatch memory;
  DeadlineWatch deadlines;
  JobCounters counters;
  /// Everything that may call what belongs to others: jobs in the pool's hands, and jobs that are ending.
  const std::shared_ptr<ActivityGate> activities = std::make_shared<ActivityGate>();
  std::atomic<bool> is_draining = false;
};

}  // namespace optimux::service
