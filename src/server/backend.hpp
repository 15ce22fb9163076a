#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "service/job_pool.hpp"
#include "service/rendition_service.hpp"
#include "source/object_store.hpp"

namespace optimux::server {

/// What the routes need of the world below, and no more: the seam at which tests put a backend of their own. Called in
/// the loop's thread; nothing blocks.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// As `RenditionService::open`.
  virtual std::vector<service::OpenedRendition> open(const service::TransformSpec& spec, base::Deadline deadline,
                                                     const std::string& via) = 0;
  /// As `RenditionService::open_fresh`.
  virtual std::vector<service::OpenedRendition> open_fresh(const std::vector<std::string>& keys) = 0;
  /// As `RenditionService::open_info`.
  virtual service::OpenedRendition open_info(const source::SourceLocator& source, base::Deadline deadline,
                                             const std::string& via) = 0;
  /// As `RenditionService::open_original`.
  virtual service::OpenedRendition open_original(const source::SourceLocator& source, base::Deadline deadline,
                                                 const std::string& via) = 0;
  /// As `RenditionService::retry_after`.
  virtual std::chrono::seconds retry_after() const = 0;
  /// As `RenditionService::is_short_of_memory`.
  virtual bool is_short_of_memory() const = 0;
  virtual service::ServiceFigures figures() const = 0;

  /// As `RenditionService::purge` and its like.
  using Purged = service::RenditionService::Purged;
  virtual void purge(const std::vector<service::TransformSpec>& specs, Purged purged) = 0;
  virtual void purge_info(const source::SourceLocator& source, Purged purged) = 0;
  virtual void purge_source(const source::SourceLocator& source, Purged purged) = 0;
  virtual void purge_all(Purged purged) = 0;

  virtual std::vector<service::PoolFigures> pools() const = 0;
  /// The scale decisions of a pool, oldest first; nothing if there is no pool of that name.
  virtual std::optional<std::vector<service::PoolDecision>> decisions(std::string_view pool) const = 0;
  /// Errors: kNotFound if there is no pool of that name, else as `JobPool::set_limits`.
  virtual base::Status set_pool_limits(std::string_view pool, int workers_min, int workers_max) = 0;

  /// Nothing where there is no object store.
  virtual std::optional<source::ObjectStoreFigures> object_store() const { return std::nullopt; }
};

/// The backend that the product runs on. All that it is made of must outlive it; `objects` may be null.
class ServiceBackend final : public Backend {
 public:
  ServiceBackend(service::RenditionService& service, service::JobPool& pool, const source::ObjectStore* objects)
      : service_(service), pool_(pool), objects_(objects) {}

  std::vector<service::OpenedRendition> open(const service::TransformSpec& spec, base::Deadline deadline,
                                             const std::string& via) override;
  std::vector<service::OpenedRendition> open_fresh(const std::vector<std::string>& keys) override;
  service::OpenedRendition open_info(const source::SourceLocator& source, base::Deadline deadline,
                                     const std::string& via) override;
  service::OpenedRendition open_original(const source::SourceLocator& source, base::Deadline deadline,
                                         const std::string& via) override;
  std::chrono::seconds retry_after() const override;
  bool is_short_of_memory() const override;
  service::ServiceFigures figures() const override;
  std::optional<source::ObjectStoreFigures> object_store() const override;
  void purge(const std::vector<service::TransformSpec>& specs, Purged purged) override;
  void purge_info(const source::SourceLocator& source, Purged purged) override;
  void purge_source(const source::SourceLocator& source, Purged purged) override;
  void purge_all(Purged purged) override;
  std::vector<service::PoolFigures> pools() const override;
  std::optional<std::vector<service::PoolDecision>> decisions(std::string_view pool) const override;
  base::Status set_pool_limits(std::string_view pool, int workers_min, int workers_max) override;

 private:
  service::RenditionService& service_;
  service::JobPool& pool_;
  const source::ObjectStore* const objects_;
};

}  // namespace optimux::server
