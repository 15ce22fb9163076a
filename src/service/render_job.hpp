#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "media/executor.hpp"
#include "service/decode_budget.hpp"
#include "service/fetch_table.hpp"
#include "service/flight_table.hpp"
#include "service/job_context.hpp"
#include "service/job_pool.hpp"
#include "service/rendition.hpp"
#include "service/rendition_search.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// What a job makes, from one source.
struct JobPlan {
  enum class Product {
    kPictures,     ///< One of each size of `render`.
    kDescription,  ///< The JSON description, into the only output.
    kOriginal,     ///< The source's own bytes, into the only output.
  };
  source::SourceLocator source;
  Product product = Product::kPictures;
  media::RenderSpec render;  ///< Canonical; one size for each output. Unused for other products.
  std::string via;           ///< Of the request that began it, for the source.
  std::vector<std::shared_ptr<Rendition>> outputs;
  bool is_behind = false;  ///< Nobody waits for it: it asks the source of renditions that were given out stale.
};

/// Provides renditions. What was finished before and lies in a tier is copied from there if it is fresh. For the rest
/// it fetches the source, and tells its origin what the older renditions were made from; if that has not changed, they
/// are used again. Else it has the source's header inspected by a worker, takes memory from the budget, and has it
/// rendered.
///
///     start -> searching -> fetching -> inspecting (worker) -> rendering (same worker) -> ended
///                  \-> ended   \-> ended          \-> waiting for memory -> queued again -/
///
/// It ends exactly once: by success, by a failure on the way, when nobody reads any more, or when the latest deadline
/// of its readers has passed. Its end closes the flight, fails what is unfinished, gives up its fetch, its places in
/// lines and queues and its memory, and stops a running render. A render that is told to stop keeps its memory and its
/// source until it has really returned.
///
/// Thread-safe. No foreign code runs under its mutex.
class RenderJob final : public Flight, public std::enable_shared_from_this<RenderJob> {
 public:
  explicit RenderJob(std::shared_ptr<JobContext> context) : context_(std::move(context)) {}

  /// Begins, or ends at once while draining or after the deadline. What is not found in a tier is admitted only then:
  /// not if the source has just failed, or the wait would outlast the deadline. Called once, after the job has been
  /// boarded.
  void start(JobPlan plan);

  /// Begins a job that nobody waits for: it asks the source of `plan` whether the renditions of `keys`, one for each of
  /// the plan's sizes, are still what it gives, and makes those anew that are not. Does nothing while draining, or when
  /// one of them is in the making.
  static void begin_behind(const std::shared_ptr<JobContext>& context, const std::vector<std::string>& keys,
                           JobPlan plan);

  /// Ends the job: its unfinished outputs fail with `error`. Does nothing if it has ended.
  void end(const base::Error& error) override OPTIMUX_EXCLUDES(mutex_);

  void output_abandoned() override;

 private:
  /// A part of the job that a worker runs.
  using Step = void (RenderJob::*)(std::chrono::microseconds waited, std::stop_token stop);

  /// What an open job holds of others. Let go of outside of the mutex.
  struct Holdings {
    FetchTable::Ticket fetch;
    DecodeBudget::Ticket line;
    DecodeBudget::Lease memory;
    media::SourceBuffer source;
    SourceMemory::Lease source_memory;
    DeadlineWatch::Id watch = 0;
    DeadlineWatch::Id patience = 0;  ///< With the tiers.
  };

  base::Status judge(const std::function<base::Status(base::Deadline)>& judgement);
  base::Status admit(base::Deadline deadline) const;
  base::Status admit_to_source(base::Deadline deadline) const;
  base::Status make_room(base::Deadline::Clock::time_point now) const;
  void search() OPTIMUX_EXCLUDES(mutex_);
  void stop_patience() OPTIMUX_EXCLUDES(mutex_);
  void searched(const std::vector<FoundRendition>& found);
  bool take_if_allowed(const std::shared_ptr<Rendition>& output, const FoundRendition& found);
  void ask_source_behind(std::vector<std::shared_ptr<Rendition>> stale) const;
  bool give_stale(const base::Error& error);
  bool reuse_unchanged(const std::string& source_fingerprint);
  void reuse(const std::shared_ptr<Rendition>& output, Rendition& older, const RenditionFacts& current);
  void take(const std::shared_ptr<Rendition>& output, const Rendition& found, CacheOutcome outcome);
  void end_without_source(const base::Error& error);
  void end_by_source(const base::Error& error);
  void note_failure(const base::Error& error) const;
  void keep_in_memory(const std::shared_ptr<Rendition>& output) const;
  void fetch() OPTIMUX_EXCLUDES(mutex_);
  void watch_deadline() OPTIMUX_EXCLUDES(mutex_);
  void deadline_passed();
  source::SourceValidators state_of_older() const;
  void fetched(const base::Result<source::FetchedSource>& result) OPTIMUX_EXCLUDES(mutex_);
  void confirmed(const source::SourceFacts& confirmation) OPTIMUX_EXCLUDES(mutex_);
  void note_source(const source::SourceFacts& facts) OPTIMUX_REQUIRES(mutex_);
  void submit(Step step);
  void run(Step step, std::chrono::microseconds waited, std::stop_token stop);
  void dropped(JobPool::Refusal reason, Step step);
  void inspect(std::chrono::microseconds waited, std::stop_token stop) OPTIMUX_EXCLUDES(mutex_);
  void announce(const std::string& source_fingerprint) OPTIMUX_EXCLUDES(mutex_);
  void wait_for_memory(DecodeBudget::Ticket line) OPTIMUX_EXCLUDES(mutex_);
  void memory_granted(base::Result<DecodeBudget::Lease> memory) OPTIMUX_EXCLUDES(mutex_);
  void render_later(std::chrono::microseconds waited, std::stop_token stop) OPTIMUX_EXCLUDES(mutex_);
  void render(std::stop_token stop) OPTIMUX_EXCLUDES(mutex_);
  base::Result<media::RenderReport> produce(const media::SourceBuffer& source, const media::OperationControl& control);
  media::RenderReport hand_on(const media::SourceBuffer& source, const media::OperationControl& control);
  base::Result<media::RenderReport> describe(const media::SourceBuffer& source, const media::OperationControl& control);
  void note_times(const media::RenderReport& report) OPTIMUX_EXCLUDES(mutex_);
  void rendered(const base::Result<media::RenderReport>& report);
  void keep_finished();
  bool was_cut_short() const OPTIMUX_EXCLUDES(mutex_);
  bool has_ended() const OPTIMUX_EXCLUDES(mutex_);
  bool close() OPTIMUX_EXCLUDES(mutex_);
  void fail_outputs(const base::Error& error);
  void count(const base::Error& error);
  int requests() const;

  /// What is still to be provided, and an older rendition of each, which may be used again or is null.
  struct Work {
    std::vector<std::shared_ptr<Rendition>> outputs;
    std::vector<std::shared_ptr<Rendition>> older;
    media::RenderSpec render;              ///< One size for each output.
    std::optional<media::ImageInfo> info;  ///< Of the source, once it has been inspected.
    void remove_size(std::size_t index);
  };

  const std::shared_ptr<JobContext> context_;
  std::stop_source stop_;
  JobPlan plan_;  ///< Constant once started.
  Work work_;     ///< Of whoever carries the job on: one thread at a time, which hands it over with the job.
  std::atomic<bool> is_readable_ = false;  ///< The header of the source is good; what fails now is a part of it.

  mutable base::Mutex mutex_;
  bool has_ended_ OPTIMUX_GUARDED_BY(mutex_) = false;
  bool was_cut_short_ OPTIMUX_GUARDED_BY(mutex_) = false;  ///< A worker gave it up because it was told to.
  Holdings held_ OPTIMUX_GUARDED_BY(mutex_);
  RenditionFacts facts_ OPTIMUX_GUARDED_BY(mutex_);  ///< Without a tag, which each output has of its own.
  RenditionTimings timings_ OPTIMUX_GUARDED_BY(mutex_);
  base::Deadline::Clock::time_point stage_began_
      OPTIMUX_GUARDED_BY(mutex_);  ///< Of the fetch or of waiting for memory.
};

}  // namespace optimux::service
