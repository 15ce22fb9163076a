#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/log.hpp"
#include "media/executor.hpp"
#include "service/activity_gate.hpp"
#include "service/deadline_watch.hpp"
#include "service/decode_budget.hpp"
#include "service/failure_memory.hpp"
#include "service/fetch_table.hpp"
#include "service/flight_table.hpp"
#include "service/image_pool.hpp"
#include "service/memory_cache.hpp"
#include "service/rendition_service.hpp"
#include "service/source_memory.hpp"

namespace optimux::service {

/// Counts that no room keeps for itself. Each may be read and written by any thread.
struct JobCounters {
  std::atomic<std::uint64_t> renders = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> cancelled = 0;
};

/// The rooms that a render job passes through, shared by all jobs of a service and alive for as long as one of them is.
/// Pool, source, executor and log belong to somebody else; after the service has gone no job calls them any more.
struct JobContext {
  JobContext(const ServiceLimits& limits, ImagePool& image_pool, source::Source& source,
             media::Executor& media_executor, base::LogSink& log_sink)
      : pool(image_pool),
        executor(media_executor),
        log(log_sink),
        cache(limits.memory_cache_bytes, limits.memory_cache_time),
        fetches(std::make_shared<FetchTable>(source)),
        sources(std::make_shared<SourceMemory>(limits.source_bytes)),
        budget(std::make_shared<DecodeBudget>(limits.decoded_bytes)),
        failures(limits.negative_cache) {}

  ImagePool& pool;
  media::Executor& executor;
  base::LogSink& log;
  MemoryCache cache;
  FlightTable flights;
  const std::shared_ptr<FetchTable> fetches;
  const std::shared_ptr<SourceMemory> sources;
  const std::shared_ptr<DecodeBudget> budget;
  FailureMemory failures;
  DeadlineWatch deadlines;
  JobCounters counters;
  /// Everything that may call what belongs to others: jobs in the pool's hands, and jobs that are ending.
  const std::shared_ptr<ActivityGate> activities = std::make_shared<ActivityGate>();
  std::atomic<bool> is_draining = false;
};

}  // namespace optimux::service
