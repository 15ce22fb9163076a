#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "server/backend.hpp"

namespace optimux::server {

/// A backend whose renditions the test makes by hand, from any thread.
class FakeBackend final : public Backend {
 public:
  /// One rendition that was asked for and not given yet.
  struct Order {
    service::TransformSpec spec;
    std::vector<std::shared_ptr<service::Rendition>> renditions;  ///< One a size.
  };

  FakeBackend();

  /// From now on `open` gives pending renditions, which the test takes with `next_order`.
  void hold_orders() OPTIMUX_EXCLUDES(mutex_);
  /// From now on pending renditions have no facts until the test sets them.
  void hide_facts() OPTIMUX_EXCLUDES(mutex_);
  /// Waits for the next order that was held. Blocks.
  Order next_order() OPTIMUX_EXCLUDES(mutex_);
  /// From now on every rendition fails with `error`.
  void fail_with(base::Error error) OPTIMUX_EXCLUDES(mutex_);
  /// The last spec that was asked for.
  service::TransformSpec last_spec() const OPTIMUX_EXCLUDES(mutex_);
  /// What the last request is said to have come through.
  std::string last_via() const OPTIMUX_EXCLUDES(mutex_);
  int opened() const OPTIMUX_EXCLUDES(mutex_);
  /// The bytes of every rendition that is made at once.
  void set_content(std::string content) OPTIMUX_EXCLUDES(mutex_);
  /// What the pool's jobs are said to take, in seconds.
  void set_service_time(double seconds) OPTIMUX_EXCLUDES(mutex_);
  /// From now on what is made at once is found again by its keys.
  void keep_finished() OPTIMUX_EXCLUDES(mutex_);
  /// Renditions that were found by their keys.
  int found_again() const OPTIMUX_EXCLUDES(mutex_);
  /// How renditions are said to have been found.
  void set_outcome(service::CacheOutcome outcome) OPTIMUX_EXCLUDES(mutex_);

  std::vector<service::OpenedRendition> open(const service::TransformSpec& spec, base::Deadline deadline,
                                             const std::string& via) override;
  std::vector<service::OpenedRendition> open_fresh(const std::vector<std::string>& keys) override
      OPTIMUX_EXCLUDES(mutex_);
  service::OpenedRendition open_info(const source::SourceLocator& source, base::Deadline deadline,
                                     const std::string& via) override;
  service::OpenedRendition open_original(const source::SourceLocator& source, base::Deadline deadline,
                                         const std::string& via) override;
  std::chrono::seconds retry_after() const override { return std::chrono::seconds(4); }
  /// From now on the backend is said to be short of memory.
  void run_short_of_memory() OPTIMUX_EXCLUDES(mutex_);
  bool is_short_of_memory() const override;
  service::ServiceFigures figures() const override;
  void purge(const std::vector<service::TransformSpec>& specs, Purged purged) override OPTIMUX_EXCLUDES(mutex_);
  void purge_info(const source::SourceLocator& source, Purged purged) override OPTIMUX_EXCLUDES(mutex_);
  void purge_source(const source::SourceLocator& source, Purged purged) override OPTIMUX_EXCLUDES(mutex_);
  void purge_all(Purged purged) override OPTIMUX_EXCLUDES(mutex_);
  /// What was to be purged, one line each: `rendition`, `info`, `source` with the canonical text, or `all`.
  std::vector<std::string> purges() const OPTIMUX_EXCLUDES(mutex_);
  /// From now on purges end with `error`.
  void fail_purges(base::Error error) OPTIMUX_EXCLUDES(mutex_);
  std::vector<service::PoolFigures> pools() const override;
  std::optional<std::vector<service::PoolDecision>> decisions(std::string_view pool) const override;
  base::Status set_pool_limits(std::string_view pool, int workers_min, int workers_max) override;

 private:
  void note_purge(std::string line, const Purged& purged) OPTIMUX_EXCLUDES(mutex_);

  mutable base::Mutex mutex_;
  base::ConditionVariable ordered_;
  bool is_short_of_memory_ OPTIMUX_GUARDED_BY(mutex_) = false;
  bool hides_facts_ OPTIMUX_GUARDED_BY(mutex_) = false;
  bool holds_ OPTIMUX_GUARDED_BY(mutex_) = false;
  bool keeps_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::shared_ptr<service::Rendition>> kept_ OPTIMUX_GUARDED_BY(mutex_);
  int found_again_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::optional<base::Error> error_ OPTIMUX_GUARDED_BY(mutex_);
  std::string content_ OPTIMUX_GUARDED_BY(mutex_) = "picture";
  service::CacheOutcome outcome_ OPTIMUX_GUARDED_BY(mutex_) = service::CacheOutcome::kMiss;
  std::vector<Order> orders_ OPTIMUX_GUARDED_BY(mutex_);
  std::vector<service::TransformSpec> specs_ OPTIMUX_GUARDED_BY(mutex_);
  std::string last_via_ OPTIMUX_GUARDED_BY(mutex_);
  std::vector<std::string> purges_ OPTIMUX_GUARDED_BY(mutex_);
  base::Status purge_status_ OPTIMUX_GUARDED_BY(mutex_);
  service::PoolFigures pool_ OPTIMUX_GUARDED_BY(mutex_);
};

/// The facts that all renditions of the fake have.
service::RenditionFacts sample_facts();

/// `text` as the bytes of a body.
void append(base::SharedBody& body, std::string_view text);

/// Starts a rendition of this size as WebP.
void start(service::Rendition& rendition, int width = 300, int height = 169);

/// A backend's answer with one finished rendition.
service::OpenedRendition finished_rendition(std::string_view content_type, std::string_view content,
                                            service::CacheOutcome outcome = service::CacheOutcome::kMiss);

}  // namespace optimux::server
