#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "media/executor.hpp"
#include "service/freshness.hpp"
#include "service/job_pool.hpp"
#include "service/rendition.hpp"
#include "service/rendition_tier.hpp"
#include "service/source_disk.hpp"
#include "service/transform_spec.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// The limits and budgets of the service. Every field is a configuration key of the same name.
struct ServiceLimits {
  std::uint64_t memory_cache_bytes = 256ull << 20;  ///< Memory of finished renditions that are kept; 0 keeps none.
  std::chrono::milliseconds cache_time = FreshnessLimits{}.fresh;  ///< As `FreshnessLimits::fresh`, in all tiers.
  std::chrono::milliseconds stale_while_revalidate = FreshnessLimits{}.stale_while_revalidate;
  std::chrono::milliseconds stale_if_error = FreshnessLimits{}.stale_if_error;
  std::chrono::milliseconds cache_timeout{1'000};  ///< How long the tiers below the memory may take to find something.
  std::uint64_t decoded_bytes = 1ull << 30;        ///< Memory of all renders that run at one time, by estimate.
  std::uint64_t source_bytes = 512ull << 20;       ///< Memory of sources that are fetched and not yet rendered.
  std::uint64_t source_cache_bytes = 64ull << 20;  ///< Memory of sources that are kept as they were fetched; 0: none.
  /// How long one is used without asking its origin, where that does not say.
  std::chrono::milliseconds source_cache_time{300'000};
  std::chrono::milliseconds negative_cache{10'000};  ///< How long a failed source is remembered; 0: not at all.
  /// Memory of the whole process, as in `MemoryWatch`: near to it caches are emptied, and then nothing new is begun.
  std::uint64_t memory_limit = 0;

  FreshnessLimits freshness() const { return {cache_time, stale_while_revalidate, stale_if_error}; }
};

/// Counts since the start, and levels of now; for metrics.
struct ServiceFigures {
  std::uint64_t cache_hits = 0;              ///< Renditions found in memory.
  std::uint64_t cache_misses = 0;            ///< Renditions that were found in no tier, or not fresh any more.
  std::uint64_t stale = 0;                   ///< Renditions given out past their time.
  std::uint64_t revalidated = 0;             ///< Renditions used again because their source has not changed.
  std::uint64_t joined = 0;                  ///< Requests that joined a rendition in the making.
  std::uint64_t fetches = 0;                 ///< Source fetches started.
  std::uint64_t fetches_joined = 0;          ///< Fetches that were saved because the same source was on its way.
  std::uint64_t source_cache_hits = 0;       ///< Fetches that were saved because the source was kept and fresh.
  std::uint64_t source_cache_disk_hits = 0;  ///< Of these: those that were found on disk.
  std::uint64_t source_cache_confirmed = 0;  ///< Fetches without bytes: the origin confirmed what was kept.
  std::uint64_t source_cache_misses = 0;     ///< Fetches that brought a source.
  std::uint64_t source_cache_evictions = 0;
  std::uint64_t source_cache_bytes = 0;
  std::uint64_t source_cache_entries = 0;
  std::optional<DiskStoreFigures> source_disk = {};  ///< Of sources on disk; nothing: none are kept there.
  std::uint64_t negative_cache_hits = 0;             ///< Renditions refused because their source had just failed.
  std::uint64_t renders = 0;                         ///< Jobs that a worker rendered, or found impossible to render.
  std::uint64_t refused = 0;                         ///< Requests answered kOverloaded.
  std::uint64_t cancelled = 0;                       ///< Jobs that ended because nobody waited any more.
  std::uint64_t evictions = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t cache_entries = 0;
  std::uint64_t decoded_bytes_in_use = 0;
  std::uint64_t source_bytes_in_use = 0;
  std::uint64_t memory_limit = 0;  ///< Bytes of the process, as it holds.
  std::uint64_t in_flight = 0;     ///< Renditions in the making.
  std::vector<TierFigures> tiers;  ///< Of those below the memory, from the fastest to the slowest.
};

/// The use case without HTTP: finds a rendition in memory or in the tiers below, joins it in the making, or has it
/// made: fetch, admission, a job on the image pool, the media executor, and the bytes into the rendition's body.
///
/// Thread-safe; nothing blocks. Everything that happens after `open` is seen through the body: its head, its bytes, its
/// end. When the last reader of all sizes of a job has gone, the job is cancelled: its fetch ended, unqueued if it
/// waits, stopped if it runs.
class RenditionService {
 public:
  /// `pool`, `source`, `executor` and `log` must outlive the service. The source's callbacks may come from any thread.
  /// `tiers` stand below the memory, the fastest first. `source_disk` keeps sources; null: only the memory does.
  RenditionService(const ServiceLimits& limits, JobPool& pool, source::Source& source, media::Executor& executor,
                   base::LogSink& log, std::vector<std::shared_ptr<RenditionTier>> tiers = {},
                   std::shared_ptr<SourceDisk> source_disk = nullptr);
  RenditionService(const RenditionService&) = delete;
  RenditionService& operator=(const RenditionService&) = delete;
  /// Fails whatever is still in the making with kShuttingDown and waits for its jobs to end. Readers, and fetches that
  /// the source has not reported yet, may outlive the service. Not in a worker's thread.
  ~RenditionService();

  /// Opens the renditions of all sizes of `spec`, in their order. All that are missing are rendered from one fetch and
  /// one decode. Failures come through the bodies: kOverloaded (queue or source memory full, the process near to
  /// its limit of memory, or the expected wait leaves too little of the time until `deadline`), kDeadlineExceeded,
  /// kShuttingDown, and all errors of source and media. A caller that wants only the first size still gets all readers
  /// and drops those it does not read; the others are then finished and cached with the first. `via` (as in
  /// `source::hops_of`) is handed to the source with a fetch that this request begins; work under way is joined only if
  /// it was begun with the same.
  std::vector<OpenedRendition> open(const TransformSpec& spec, base::Deadline deadline, const std::string& via = {});

  /// Opens the renditions of all `keys` (`rendition_key`, `original_key`), if all of them are finished, in memory and
  /// fresh, as `open` would; else nothing, and nothing else happens.
  std::vector<OpenedRendition> open_fresh(const std::vector<std::string>& keys);

  /// Opens the JSON description of a source (format, size, pages, duration, alpha, colour space, orientation, bytes,
  /// BlurHash) as an `application/json` body. Cached, joined and cancelled like any rendition.
  OpenedRendition open_info(const source::SourceLocator& source, base::Deadline deadline, const std::string& via = {});

  /// Opens the source's own bytes, if they are a picture that is read and within the limits of its header: what is
  /// handed on has been looked at, and not decoded. Cached, joined and cancelled like any rendition.
  OpenedRendition open_original(const source::SourceLocator& source, base::Deadline deadline,
                                const std::string& via = {});

  /// Forgets what was made of these specs, of which there is at least one and which are of one source; the JSON
  /// description of a source and its original; all that was made of it; or everything: in memory and in all tiers. What
  /// is in the making is finished for those who wait for it, given to nobody else and not kept. `purged` is called
  /// once, from any thread, perhaps from inside the call: nothing older than this moment is given out from then on.
  /// Errors: kOverloaded, kInternal; then some of it may still be there.
  using Purged = RenditionTier::Erased;
  void purge(const std::vector<TransformSpec>& specs, Purged purged);
  void purge_info(const source::SourceLocator& source, Purged purged);
  void purge_source(const source::SourceLocator& source, Purged purged);
  void purge_all(Purged purged);

  /// From now on nothing new is started: `open` gives cached renditions, and bodies failed with kShuttingDown
  /// otherwise.
  void drain();

  /// Forgets the limits given at construction in favour of these; shrinks the cache at once.
  void set_limits(const ServiceLimits& limits);

  /// Seconds after which a refused client may expect to be served, at least 1: the expected wait of the pool.
  std::chrono::seconds retry_after() const;

  /// Whether the process is so near to its limit of memory that nothing should be kept that need not be: connections
  /// too.
  bool is_short_of_memory() const;

  ServiceFigures figures() const;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace optimux::service
