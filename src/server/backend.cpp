#include "server/backend.hpp"

#include <utility>

namespace optimux::server {

std::vector<service::OpenedRendition> ServiceBackend::open(const service::TransformSpec& spec, base::Deadline deadline,
                                                           const std::string& via) {
  return service_.open(spec, deadline, via);
}

std::vector<service::OpenedRendition> ServiceBackend::open_fresh(const std::vector<std::string>& keys) {
  return service_.open_fresh(keys);
}

service::OpenedRendition ServiceBackend::open_info(const source::SourceLocator& source, base::Deadline deadline,
                                                   const std::string& via) {
  return service_.open_info(source, deadline, via);
}

service::OpenedRendition ServiceBackend::open_original(const source::SourceLocator& source, base::Deadline deadline,
                                                       const std::string& via) {
  return service_.open_original(source, deadline, via);
}

std::chrono::seconds ServiceBackend::retry_after() const {
  return service_.retry_after();
}

bool ServiceBackend::is_short_of_memory() const {
  return service_.is_short_of_memory();
}

service::ServiceFigures ServiceBackend::figures() const {
  return service_.figures();
}

std::optional<source::ObjectStoreFigures> ServiceBackend::object_store() const {
  if (objects_ == nullptr) return std::nullopt;
  return objects_->figures();
}

void ServiceBackend::purge(const std::vector<service::TransformSpec>& specs, Purged purged) {
  service_.purge(specs, std::move(purged));
}

void ServiceBackend::purge_info(const source::SourceLocator& source, Purged purged) {
  service_.purge_info(source, std::move(purged));
}

void ServiceBackend::purge_source(const source::SourceLocator& source, Purged purged) {
  service_.purge_source(source, std::move(purged));
}

void ServiceBackend::purge_all(Purged purged) {
  service_.purge_all(std::move(purged));
}

std::vector<service::PoolFigures> ServiceBackend::pools() const {
  return {pool_.figures()};
}

std::optional<std::vector<service::PoolDecision>> ServiceBackend::decisions(std::string_view pool) const {
  if (pool != pool_.figures().name) return std::nullopt;
  return pool_.decisions();
}

base::Status ServiceBackend::set_pool_limits(std::string_view pool, int workers_min, int workers_max) {
  if (pool != pool_.figures().name) return base::fail(base::ErrorCode::kNotFound, "there is no pool of this name");
  return pool_.set_limits(workers_min, workers_max);
}

}  // namespace optimux::server
